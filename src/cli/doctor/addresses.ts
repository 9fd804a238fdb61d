import { isIP } from 'node:net';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { keyedHashUnder } from '#platform/crypto/secret-key.ts';
import { type Config, dataFolder, type ServiceName } from '#platform/config/config.ts';
import { SELF_CHECK_HEADER, SELF_CHECK_PATH, type SelfCheck, selfCheckToken } from '#http/self-check.ts';
import { type Finding, type Found, type Installation, ok, problem, reasonOf, warning } from './finding.ts';
import { type Received, send } from './request.ts';

/** An address for documentation (RFC 5737), which no client has. The doctor claims to have it, and the service must not accept it. */
const FORGED_ADDRESS = '192.0.2.66';
/** Above the limit of 1 MB that nginx has by default; game servers send up to 64 MB. */
const INGEST_BODY = 8 * 1024 * 1024;
const DAY_MS = 86_400_000;
const SERVICES: readonly ServiceName[] = ['API', 'AUTH', 'SITE', 'INGEST'];

/** Sends a request to each public address, through the proxy like any other, and compares what the service received. */
export async function checkAddresses(installation: Installation): Promise<Found> {
  const { config } = installation;
  if (config.SECRET_KEY === '' && !existsSync(join(dataFolder(config), 'secret.key')))
    return warning('addresses', 'They are not checked: there is no secret key yet.', 'Start the service first.');
  return await Promise.all(SERVICES.map((service) => checkAddress(service, installation)));
}

async function checkAddress(service: ServiceName, { config, now }: Installation): Promise<Found> {
  const check = `address ${service}`;
  const url = config[`${service}_URL`];
  const token = selfCheckToken(keyedHashUnder(config), service, now);
  const headers = { [SELF_CHECK_HEADER]: token, 'x-forwarded-for': FORGED_ADDRESS };
  let received: Received;
  try {
    received = await send(url + SELF_CHECK_PATH, headers);
  } catch (error) {
    return problem(check, `${url} cannot be reached: ${reasonOf(error)}.`, remedyOf(error, service, config));
  }
  const seen = selfCheckOf(received);
  if (seen === undefined) return wrongAnswer(check, url, received, service, config);
  return [
    checkCertificate(check, url, received.expires, now),
    clientAddress(check, url, received, seen),
    service === 'INGEST' ? await checkLargeBody(check, url, headers) : [],
  ];
}

/** Game servers send large bodies, and proxies refuse them by default. */
async function checkLargeBody(check: string, url: string, headers: Record<string, string>): Promise<Found> {
  const remedy = 'Allow 64 MB: client_max_body_size 64m in nginx.';
  const refused = (reason: string): Finding =>
    problem(check, `The proxy of ${url} refuses a body of 8 MB (${reason}).`, remedy);
  try {
    const { status } = await send(url + SELF_CHECK_PATH, headers, Buffer.alloc(INGEST_BODY));
    return status === 200 ? [] : refused(`status ${status}`);
  } catch (error) {
    // A proxy may close the connection before the client has read the refusal.
    return refused(reasonOf(error));
  }
}

function selfCheckOf({ status, body }: Received): SelfCheck | undefined {
  try {
    return status === 200 ? (JSON.parse(body) as SelfCheck) : undefined;
  } catch {
    return undefined;
  }
}

function wrongAnswer(check: string, url: string, { status }: Received, service: ServiceName, config: Config): Finding {
  const listen = listenOf(service, config);
  if (status === 502 || status === 503 || status === 504)
    return problem(
      check,
      `The proxy of ${url} does not reach the service (status ${status}).`,
      `Start the service, and let the proxy forward to ${listen}.`,
    );
  return problem(
    check,
    `${url} answers with status ${status}, and not as service ${service} of this installation.`,
    `Let the name lead to this machine, the proxy forward every path to ${listen}, and give the doctor the settings of the service (SECRET_KEY too).`,
  );
}

function listenOf(service: ServiceName, { listen }: Config): string {
  const { host, port, path } = listen[service];
  return path ?? `${isIP(host!) === 6 ? `[${host}]` : host}:${port}`;
}

function checkCertificate(check: string, url: string, expires: Date | undefined, now: number): Found {
  if (expires === undefined || expires.getTime() - now > 14 * DAY_MS) return [];
  const remedy = 'Renew it, and see why that did not happen by itself: systemctl list-timers, journalctl -u certbot.';
  return warning(check, `The certificate of ${url} expires on ${expires.toISOString().slice(0, 10)}.`, remedy);
}

/** Whether the service takes the address of the client from the proxy, and from no other peer. */
function clientAddress(check: string, url: string, { local }: Received, seen: SelfCheck): Finding {
  const { client_address: client, peer_address: peer, forwarded_for: forwarded } = seen;
  const last = forwarded.split(',').at(-1)!.trim();
  if (local.port === seen.peer_port && local.address === peer)
    return ok(check, `${url} is this installation, without a proxy; it sees the doctor as ${peer}.`);
  const proxy = peer === '' ? 'unix' : peer;
  const overwrite = 'Let the proxy overwrite the header, as the examples in deploy/ do.';
  if (forwarded === '')
    return problem(check, `The proxy of ${url} sends no X-Forwarded-For: all visitors count as one.`, overwrite);
  if (last === FORGED_ADDRESS)
    return problem(
      check,
      `The proxy of ${url} passes on X-Forwarded-For of clients: anybody can claim any address.`,
      overwrite,
    );
  if (!seen.peer_trusted)
    return problem(
      check,
      `${url} counts all visitors as one: its proxy ${proxy} is not trusted.`,
      `Add ${proxy} to TRUSTED_PROXIES and restart the service.`,
    );
  if (client === FORGED_ADDRESS && last !== local.address)
    return problem(
      check,
      `${url} believes what clients say about their address: TRUSTED_PROXIES contains ${last}, which is no proxy.`,
      'List only the addresses of your proxies in TRUSTED_PROXIES.',
    );
  return ok(check, `${url} is this installation, behind proxy ${proxy}; it sees the doctor as ${last}.`);
}

function remedyOf(error: unknown, service: ServiceName, config: Config): string {
  const code = (error as { code?: string }).code ?? '';
  if (/SELF_SIGNED|UNABLE_TO_(GET|VERIFY)/.test(code))
    return 'The certificate is from a CA that this machine does not know. For an own CA set NODE_EXTRA_CA_CERTS to its file: docs/operations.md, "An own CA". For a public CA give the proxy the full chain.';
  if (code === 'CERT_HAS_EXPIRED') return 'Renew the certificate.';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'Get a certificate for this name.';
  if (/ENOTFOUND|EAI_AGAIN/.test(code)) return `Add a DNS record for ${new URL(config[`${service}_URL`]).hostname}.`;
  if (code === 'ECONNREFUSED')
    return 'Start the service and the proxy, and check that the name leads to this machine (dig NAME).';
  return 'Check firewall and port forwarding. A router that does not lead its own public address back inside (hairpin NAT) needs the name in /etc/hosts of this machine.';
}

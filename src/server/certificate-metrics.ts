import { connect } from 'node:tls';
import { isIP } from 'node:net';
import type { Config, ServiceName } from '#platform/config/config.ts';
import { gauge, type Metrics } from '#platform/process/metrics.ts';

const SERVICES: readonly ServiceName[] = ['API', 'AUTH', 'SITE', 'INGEST'];
const INTERVAL_MS = 3_600_000;
const TIMEOUT_MS = 2_000;

/** Adds the ends of the certificates that clients see at the public addresses. */
export function addCertificateMetrics(config: Config, metrics: Metrics): void {
  let last: { read: number; ends: Promise<[ServiceName, number][]> } | undefined;
  gauge(metrics, {
    name: 'scorehall_certificate_end_timestamp_seconds',
    help: 'End of the certificate at the public address of a service, as a Unix timestamp',
    labelNames: ['service'],
    collect: async (certificate) => {
      const now = performance.now();
      if (last === undefined || now - last.read >= INTERVAL_MS) last = { read: now, ends: readEnds(config) };
      for (const [service, end] of await last.ends) certificate.set({ service: service.toLowerCase() }, end);
    },
  });
}

async function readEnds(config: Config): Promise<[ServiceName, number][]> {
  const secure = SERVICES.filter((service) => config[`${service}_URL`].startsWith('https:'));
  return await Promise.all(
    secure.map(async (service) => [service, await endOf(new URL(config[`${service}_URL`]))] as [ServiceName, number]),
  );
}

/** NaN if nothing answers: the address may be out of reach from this machine. */
function endOf({ hostname, port }: URL): Promise<number> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const { promise, resolve } = Promise.withResolvers<number>();
  // The certificate is only read, and one that has ended is reported as well.
  const options = { host, port: Number(port === '' ? 443 : port), rejectUnauthorized: false, timeout: TIMEOUT_MS };
  const socket = connect({ ...options, ...(isIP(host) === 0 && { servername: host }) }, () => {
    resolve(Date.parse(socket.getPeerCertificate().valid_to) / 1000);
    socket.destroy();
  });
  socket.once('timeout', () => socket.destroy());
  socket.on('error', () => resolve(NaN));
  socket.once('close', () => resolve(NaN));
  return promise;
}

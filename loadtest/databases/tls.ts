import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Report } from '../report.ts';
import { type Certificates, createCertificates } from '../support/certificates.ts';
import { findProgram } from '../support/programs.ts';
import { PASSWORD, type Ran, resultOf, runImport } from './command.ts';
import { createSource, type Source } from './imports.ts';
import { giveToMariaDb, type MariaDb } from './mariadb.ts';
import { COMMUNITY_ROWS, fillCommunity } from './source-tables.ts';

/** Imports over TLS from a server with a valid certificate, and from servers to which no password may be sent. */

/** May not sign in without TLS, so that an import without TLS fails. */
const TLS_USER = 'tlsreader';

type Import = (host: string, ca: string | undefined, ...options: string[]) => Promise<Ran>;

export async function importOverTls(source: Source, folder: string, report: Report): Promise<void> {
  const openssl = findProgram('openssl');
  report.add('TLS: openssl', openssl ?? 'missing', openssl !== undefined);
  if (openssl === undefined) return;
  await createCommunity(source);
  const printed: string[] = [];
  const run: Import = async (host, ca, ...options) => {
    const address = `mysql://${TLS_USER}@${host}:${source.mariadb.port}/${source.name}`;
    const environment = ca === undefined ? {} : { NODE_EXTRA_CA_CERTS: ca };
    const ran = await runImport(source.url, ['pgmdev', address, '--create', '--json', ...options], environment);
    printed.push(ran.out, ran.err);
    return ran;
  };
  const make = (name: string, names: string, days: number): Promise<Certificates> =>
    certificatesFor(openssl, join(folder, `${source.name}-${name}`), names, days);

  const right = await make('right', 'IP:127.0.0.1', 90);
  await restart(source.mariadb, right);
  await certified(run, right, report);
  const stranger = await make('stranger', 'IP:127.0.0.1', 90);
  const refused = async (what: string, host: string, ca: string | undefined, sentence: string): Promise<void> => {
    const { status, err } = await run(host, ca, '--tls');
    const isRight = status === 2 && err.endsWith(`${source.name} ${sentence}\n`) && err.split('\n').length === 2;
    report.add(`  ${what}`, err.trim().replace(/^.*\/\w+ /, ''), isRight);
  };
  await refused('another CA', '127.0.0.1', stranger.ca, UNKNOWN_AUTHORITY);
  await refused('no CA of its own', '127.0.0.1', undefined, UNKNOWN_AUTHORITY);
  const named = await make('named', 'DNS:localhost', 90);
  await restart(source.mariadb, named);
  const { unchanged } = resultOf(await run('localhost', named.ca, '--tls'));
  report.add('  the CA and the name of the certificate', `${unchanged} unchanged`, unchanged > 0);
  for (const [host, names] of [
    ['127.0.0.1', 'DNS:localhost,IP:127.0.0.2'],
    ['localhost', 'DNS:db.example,IP:127.0.0.1'],
  ] as const) {
    const other = await make(`other-${host}`, names, 90);
    await restart(source.mariadb, other);
    await refused(
      `a certificate for ${names}, not ${host}`,
      host,
      other.ca,
      `has a certificate of another host than ${host}.`,
    );
  }
  const expired = await make('expired', 'IP:127.0.0.1', -1);
  await restart(source.mariadb, expired);
  await refused('an expired certificate', '127.0.0.1', expired.ca, 'has a certificate that has expired.');
  await restart(source.mariadb, undefined);
  await refused('a server without TLS', '127.0.0.1', right.ca, 'does not offer TLS.');
  await source.mariadb.stop();
  await source.mariadb.start();
  report.add('  the password in the output', 'of all these runs', !printed.join('').includes(PASSWORD));
}

const UNKNOWN_AUTHORITY =
  'has a certificate of an authority that this machine does not trust; NODE_EXTRA_CA_CERTS names the file of your own.';

async function createCommunity(source: Source): Promise<void> {
  const connection = await createSource(source);
  await fillCommunity(connection, Date.now());
  for (const host of ['127.0.0.1', 'localhost']) {
    await connection.query(`create user if not exists '${TLS_USER}'@'${host}' identified by '${PASSWORD}' require ssl`);
    await connection.query(`grant select on ${source.name}.* to '${TLS_USER}'@'${host}'`);
  }
  await connection.end();
}

async function certified(run: Import, { ca }: Certificates, report: Report): Promise<void> {
  const { taken, refused } = resultOf(await run('127.0.0.1', ca, '--tls'));
  report.add('  the CA and the address of the certificate', `${taken} events`, taken > COMMUNITY_ROWS && refused === 0);
  const plain = await run('127.0.0.1', ca);
  report.add(
    '  without --tls',
    plain.err.trim().replace(/^.*\/\w+ /, ''),
    plain.status === 2 && plain.err.includes('needs --tls'),
  );
}

async function certificatesFor(openssl: string, folder: string, names: string, days: number): Promise<Certificates> {
  await mkdir(folder, { mode: 0o755 });
  const certificates = createCertificates(openssl, folder, { names, days });
  await giveToMariaDb(certificates.key);
  return certificates;
}

async function restart(mariadb: MariaDb, certificates: Certificates | undefined): Promise<void> {
  await mariadb.stop();
  if (certificates === undefined) return await mariadb.start('--skip-ssl');
  await mariadb.start(`--ssl-cert=${certificates.certificate}`, `--ssl-key=${certificates.key}`);
}

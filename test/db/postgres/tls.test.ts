import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { TLSSocket } from 'node:tls';
import { selfSignedCertificate } from '#platform/crypto/certificate.ts';
import { openDb } from '#db/open.ts';
import { sql } from '#db/sql.ts';
import { createTestDatabase } from '#test/support/context.ts';

interface TlsServer {
  url: (parameters: string) => string;
  /** The path of the certificate. */
  certificate: string;
}

/** PostgreSQL behind TLS with a self-signed certificate for another name than 127.0.0.1, as a managed database has it. */
async function tlsServer(t: TestContext): Promise<TlsServer> {
  const database = await createTestDatabase('postgres');
  t.after(() => database.drop());
  const url = new URL(database.url);
  const socketPath = join(url.searchParams.get('host')!, `.s.PGSQL.${url.port || 5432}`);
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' });
  const certificate = selfSignedCertificate(privateKey, 'db.example.org', new Date());
  const folder = await mkdtemp(join(tmpdir(), 'tls-'));
  t.after(() => rm(folder, { recursive: true }));
  const path = join(folder, 'ca.pem');
  await writeFile(path, certificate);
  const forward = (client: Socket): void => {
    const secure = new TLSSocket(client, { isServer: true, key, cert: certificate });
    const upstream = connect(socketPath);
    secure.on('error', () => upstream.destroy()).pipe(upstream);
    upstream.on('error', () => secure.destroy()).pipe(secure);
  };
  const { promise, resolve } = Promise.withResolvers<void>();
  const server = createServer((client) => {
    // SSLRequest and its answer
    client.on('error', () => undefined).once('data', () => (client.write('S'), forward(client)));
  }).listen(0, '127.0.0.1', resolve);
  await promise;
  t.after(() => server.close());
  const { port } = server.address() as { port: number };
  return {
    url: (parameters) => `postgres://postgres@127.0.0.1:${port}${url.pathname}?${parameters}`,
    certificate: path,
  };
}

test('sslmode and sslrootcert mean what they mean for libpq', async (t) => {
  const { url, certificate } = await tlsServer(t);
  for (const parameters of [
    'sslmode=require',
    `sslmode=require&sslrootcert=${certificate}`,
    `sslmode=verify-ca&sslrootcert=${certificate}`,
  ]) {
    await using db = await openDb(url(parameters));
    assert.deepEqual(await db.tuple(sql`select 1`), [1], parameters);
  }
  for (const [parameters, sentence] of [
    [`sslmode=verify-full&sslrootcert=${certificate}`, /PostgreSQL cannot be used: Hostname\/IP does not match/],
    ['sslmode=verify-full', /PostgreSQL cannot be used: self-signed certificate/],
    ['sslmode=verify-full&sslrootcert=system', /PostgreSQL cannot be used: self-signed certificate/],
  ] as const)
    await assert.rejects(openDb(url(parameters)), sentence, parameters);
});

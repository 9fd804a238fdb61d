import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { createServer } from 'node:tls';
import { readConfig } from '#platform/config/config.ts';
import { selfSignedCertificate } from '#platform/crypto/certificate.ts';
import { openMetrics } from '#platform/process/metrics.ts';
import { addCertificateMetrics } from '#server/service-metrics.ts';
import { freePorts } from '#test/support/ports.ts';

test('the end of the certificate of each public https address is a metric', async (t) => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  const server = createServer({ key, cert: selfSignedCertificate(privateKey, 'localhost', new Date(0)) });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close());
  const [closed] = await freePorts(1);
  const metrics = openMetrics();
  const { port } = server.address() as AddressInfo;
  const addresses = { API_URL: `https://localhost:${port}`, AUTH_URL: `https://127.0.0.1:${closed}` };
  addCertificateMetrics(readConfig(addresses), metrics);
  const [list] = await metrics.getMetricsAsJSON();
  assert.deepEqual(
    list!.values.map(({ labels, value }) => [labels['service'], value]),
    [
      ['api', Date.parse('9999-12-31T23:59:59Z') / 1000],
      ['auth', NaN],
    ],
  );
});

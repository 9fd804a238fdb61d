import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '../..');

test('without a network the first command ends with one sentence', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'scorehall-install-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const name of ['package.json', 'package-lock.json', 'scripts'])
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  const env = {
    PATH: process.env['PATH'],
    HOME: join(folder, 'home'),
    npm_config_registry: `http://127.0.0.1:${await closedPort()}/`,
  };
  const { stderr } = await assertFails(promisify(execFile)('node', ['scripts/run.mjs', 'demo'], { cwd: folder, env }));
  assert.equal(
    stderr,
    'Installing packages (for production) …\n' +
      'npm cannot reach its registry (ECONNREFUSED), and its cache does not have all packages. Connect this machine to the network, or set the proxy (npm config set https-proxy URL), and run this again.\n',
  );
});

async function assertFails(run: Promise<unknown>): Promise<{ code: number; stderr: string }> {
  const error = await run.then(
    () => assert.fail('The command did not fail.'),
    (reason: unknown) => reason as { code: number; stderr: string },
  );
  assert.equal(error.code, 1);
  return error;
}

async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

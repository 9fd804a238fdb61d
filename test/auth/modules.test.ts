import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');
const LIST_LOADED = `
  import { registerHooks } from 'node:module';
  const loaded = [];
  registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
  await import('#auth/index.ts');
  console.log(JSON.stringify(loaded));`;

test('the sign-in service starts without the library that verifies passkeys', () => {
  const list = ['--input-type=module', '--eval', LIST_LOADED];
  const loaded = JSON.parse(execFileSync(process.execPath, list, { cwd: ROOT, encoding: 'utf8' })) as string[];
  assert.ok(loaded.some((url) => url.endsWith('/src/auth/factors/ceremonies.ts')));
  assert.deepEqual(
    loaded.filter((url) => url.includes('/@simplewebauthn/')),
    [],
  );
});

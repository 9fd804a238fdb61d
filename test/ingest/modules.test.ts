import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');
const LIST_LOADED = `
  import { registerHooks } from 'node:module';
  const loaded = [];
  registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
  for (const module of ['#ingest/index.ts', '#server/listeners.ts', '#server/writer.ts']) await import(module);
  console.log(JSON.stringify(loaded));`;

test('the thread of the ingest loads what events are, and nothing of what they do', () => {
  const list = ['--input-type=module', '--eval', LIST_LOADED];
  const loaded = JSON.parse(execFileSync(process.execPath, list, { cwd: ROOT, encoding: 'utf8' })) as string[];
  const files = loaded
    .filter((url) => url.includes('/src/events/'))
    .map((url) => url.replace(/^.*\/src\/events\//, ''));
  assert.ok(files.includes('schema/matches.ts'));
  const refused = ['handlers/', 'jobs/', 'ingest/ingest-events.ts', 'ingest/group-commit.ts', 'ledger/unit-of-work.ts'];
  assert.deepEqual(
    files.filter((file) => refused.some((path) => file.startsWith(path))),
    [],
  );
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = join(import.meta.dirname, '../../');

const SERVICES = ['api', 'auth', 'console', 'ingest', 'site'];

/** The module with which each thread, or the process of the streams, starts, and the folders of which it loads nothing. */
const NOT_LOADED: Record<string, readonly string[]> = {
  'src/server/writer-worker.ts': ['cli', 'admin', ...SERVICES],
  // It imports the services that it opens, and the thread of the ingest starts the writer.
  'src/server/service-worker.ts': ['cli', 'admin', 'connectors', 'importers', 'mails', 'webhooks', ...SERVICES],
  'src/server/stream-worker.ts': [
    'cli',
    'admin',
    'connectors',
    'importers',
    'mails',
    'webhooks',
    'auth',
    'console',
    'site',
  ],
};

for (const [entry, folders] of Object.entries(NOT_LOADED)) {
  test(`${entry} loads no module of ${folders.join(', ')}`, () => {
    const loaded = [...loadedBy(entry)];
    assert.deepEqual(
      loaded.filter((file) => folders.includes(file.split('/')[1]!)),
      [],
    );
    assert.ok(loaded.length > 50, 'the imports are followed');
  });
}

test('the process that serves the demo does not load what fills it', () => {
  const loaded = loadedBy('src/cli/demo.ts');
  assert.ok(loaded.has('demo/filling.ts'));
  assert.ok(!loaded.has('demo/fill.ts'));
});

/** The modules that a module loads: those of its static imports, but for imports of types alone, which Node removes. */
function loadedBy(file: string, loaded = new Set<string>()): Set<string> {
  if (loaded.has(file)) return loaded;
  loaded.add(file);
  const source = readFileSync(join(ROOT, file), 'utf8');
  for (const [, specifier] of source.matchAll(/^(?:import|export)(?! type\b)\s[^;]*?from '([.#][^']*)';/gm)) {
    const target = specifier!.startsWith('#')
      ? fileURLToPath(import.meta.resolve(specifier!))
      : join(ROOT, dirname(file), specifier!);
    loadedBy(relative(ROOT, target), loaded);
  }
  return loaded;
}

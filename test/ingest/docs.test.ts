import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { TYPES_OF_SERVERS } from '#events/schema/index.ts';
import { createServerKey } from '#store/game/server-keys.ts';
import { serverByName } from '#store/game/servers.ts';
import { openServices } from '#server/listeners.ts';
import { openAppContext } from '#context/context.ts';
import { readConfig } from '#platform/config/config.ts';
import { configured, sendEvents } from '#test/support/builders.ts';
import { createTestDatabase } from '#test/support/context.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');
const TEXT = readFileSync(join(ROOT, 'docs/ingest.md'), 'utf8');
const blocks = (language: string): string[] =>
  [...TEXT.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, code]) => code!);

/** A service on the real clock: the examples have fixed and present times. */
async function environment(t: TestContext): Promise<NodeJS.ProcessEnv> {
  const database = await createTestDatabase('sqlite');
  const context = await openAppContext(
    readConfig({
      DATABASE_URL: database.url,
      INGEST_LISTEN: '127.0.0.1:0',
      API_LISTEN: '127.0.0.1:0',
      LOG_LEVEL: 'silent',
    }),
  );
  const services = await openServices(context, ['INGEST', 'API']);
  t.after(async () => {
    await services[Symbol.asyncDispose]();
    await context[Symbol.asyncDispose]();
    await database.drop();
  });
  await sendEvents(context, configured('Lantern'));
  const key = await createServerKey(context.db, context.clock.now(), (await serverByName(context.db, 'Lantern'))!.key);
  const folder = mkdtempSync(join(tmpdir(), 'queue-'));
  const { INGEST, API } = services.addresses;
  const UUID = '7f0c6a4e-52b1-4c2f-9b7d-1f2f8a6f9a10';
  return { PATH: process.env['PATH'], INGEST_URL: INGEST, API_URL: API, UUID, INGEST_KEY: key, QUEUE_FOLDER: folder };
}

test('the examples of docs/ingest.md run as they stand', async (t) => {
  const env = await environment(t);
  const answers: string[] = [];
  const isStored = async () =>
    (await run('sh', ['-c', receiptsBlock!], { env })).stdout.match(/login-4711|map-1/) !== null;
  const receiptsBlock = blocks('sh').find((block) => block.includes('/receipts'));
  // Copied from the page, the first commands store nothing; without `dry_run` they store what the later ones read.
  for (const block of blocks('sh').slice(0, 2)) {
    assert.match((await run('sh', ['-c', block], { env })).stdout, /"accepted"/);
    assert.equal(await isStored(), false);
  }
  for (const [index, block] of blocks('sh').entries()) {
    const command = index < 2 ? block.replace('?dry_run=1', '') : block;
    answers.push((await run('sh', ['-c', command], { env })).stdout);
  }
  const [login, stream, trial, progress, counters, pardon, receipts, reads] = answers as [
    ...[string, string, string, string, string],
    ...[string, string, string],
  ];
  for (const reply of [login, progress]) assert.equal((JSON.parse(reply) as { status: string }).status, 'accepted');
  assert.deepEqual(
    stream
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { status: string }).status),
    ['accepted', 'accepted', 'accepted'],
  );
  for (const [reply, count] of [
    [trial, 1],
    [pardon, 2],
  ] as const) {
    const statuses = (JSON.parse(reply) as { status: string }[]).map(({ status }) => status);
    assert.deepEqual(statuses, Array<string>(count).fill('accepted'));
  }
  const { status, warnings } = JSON.parse(counters) as { status: string; warnings: { place: string }[] };
  assert.deepEqual([status, warnings[0]!.place], ['accepted', 'data.teams.0.players.0.counters.assists']);
  assert.equal((JSON.parse(receipts) as { receipts: object[] }).receipts.length, 5);
  assert.match(reads, /^\{"id".*"name":"Saltmarten".*\}\[\]$/);
  assert.equal(answers.length, 8);
});

test('the program of docs/ingest.md runs as it stands', async (t) => {
  const env = await environment(t);
  const [program] = blocks('ts');
  const file = join(env['QUEUE_FOLDER']!, 'example.ts');
  writeFileSync(file, program!.replace("'./packages/", `'${ROOT}/packages/`));
  const { stderr } = await run(process.execPath, [file], { env });
  assert.equal(stderr, '');
});

test('docs/ingest.md names every type of event that a server may send', () => {
  for (const type of TYPES_OF_SERVERS) assert.ok(TEXT.includes(`\`${type}\``), type);
});

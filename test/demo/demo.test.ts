import assert from 'node:assert/strict';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, test, type TestContext } from 'node:test';
import type { DemoFacts } from '#demo/folder.ts';
import { MERGED, samplePlayers } from '#demo/network/people/players.ts';
import { scorehall } from '#test/cli/scorehall.ts';
import { ask } from '#test/support/request.ts';
import { login, person } from '#test/support/builders.ts';
import { onEachDatabase } from '#test/support/context.ts';
import { endDemosIn, RunningDemo } from './running.ts';

/**
 * The tests after the SQLite test use its second demo: each start takes 3 CPU seconds, and filling a database 3 more.
 */
let shared: RunningDemo | undefined;

async function sharedDemo(): Promise<RunningDemo> {
  shared ??= new RunningDemo(await newFolder());
  await shared.ready();
  return shared;
}

const newFolder = async (): Promise<string> => join(await mkdtemp(join(tmpdir(), 'scorehall-demo-')), 'demo');

async function remove(folder: string): Promise<void> {
  await endDemosIn(folder);
  await rm(dirname(folder), { recursive: true, force: true });
}

async function folderFor(t: TestContext): Promise<string> {
  const folder = await newFolder();
  t.after(() => folder === shared?.folder || remove(folder));
  return folder;
}

/** Larger than the number of the demo that resumes it. */
const INTERRUPTED_MATCHES = 100;

async function interruptGeneration(folder: string): Promise<void> {
  const interrupted = new RunningDemo(folder, ['--matches', String(INTERRUPTED_MATCHES)]);
  await interrupted.printed(/Generating/);
  assert.equal(await interrupted.stop(), 0);
  assert.ok(!interrupted.output.includes('ready'));
}

const idOf = ({ id }: { id: string }): string => id;

/** Every service responds, and the ingest accepts the key for its server. */
async function checkAllServices({ auth_url, site_url, ingest_url, ingest_key }: DemoFacts): Promise<void> {
  const discovery = await fetch(`${auth_url}/.well-known/openid-configuration`);
  assert.equal(((await discovery.json()) as { issuer: string }).issuer, auth_url);
  assert.match(await (await fetch(site_url)).text(), /Gullwing Quay/);
  const headers = { authorization: `Bearer ${ingest_key}`, 'content-type': 'application/json' };
  const body = JSON.stringify(login('Lantern', person(1), { time: new Date().toISOString() }));
  const accepted = await fetch(`${ingest_url}/events`, { method: 'POST', headers, body });
  assert.equal(accepted.status, 200, await accepted.clone().text());
}

/** The printed command runs as it is, with the settings and the secret key of the demo. */
async function runPrinted(output: string, { api_url }: DemoFacts): Promise<void> {
  const line = /^ {2}((?:[A-Z_]+='[^']*' )+)scorehall server list$/m.exec(output)!;
  const settings = [...line[1]!.matchAll(/([A-Z_]+)='([^']*)' /g)].map(([, name, value]) => [name!, value!]);
  const run = async (...words: string[]): Promise<Record<string, string>[]> =>
    JSON.parse((await scorehall(Object.fromEntries(settings), ...words, '--json')).out);
  assert.equal((await run('server', 'list')).length, 8);
  const config = await run('config');
  assert.equal(config.find(({ setting }) => setting === 'API_URL')!['value'], api_url);
  const jobs = await run('job', 'list');
  assert.ok(jobs.some(({ kind }) => kind === 'withdrawal') && jobs.every(({ state }) => state === 'done'));
}

describe('the demo', () => {
  after(async () => {
    if (shared === undefined) return;
    assert.equal(await shared.stop(), 0);
    await remove(shared.folder);
  });

  onEachDatabase(
    'the demo fills its database once, also after an interruption, serves, prints its credentials, and stops cleanly',
    async (t, url, dialect) => {
      const folder = await folderFor(t);
      const options = dialect === 'postgres' ? ['--database', url] : [];
      if (dialect === 'sqlite') await interruptGeneration(folder);
      const first = new RunningDemo(folder, options, { DATABASE_URL: '/nowhere/operators-own.db' });
      const facts = await first.ready();
      if (shared !== undefined) assert.notEqual(facts.api_url, shared.facts().api_url, 'used ports are skipped');
      assert.equal((await stat(join(folder, 'demo.json'))).mode & 0o777, 0o600);
      assert.equal(facts.database_url, dialect === 'postgres' ? url : join(folder, 'demo.db'));
      assert.deepEqual(
        facts.apps.map(({ type, client_secret }) => [type, client_secret !== undefined]),
        [['installed', false], ['web', false], ['service', true]], // prettier-ignore
      );
      assert.deepEqual(
        facts.accounts.map(({ name, role }) => [name, role]),
        [['Wharfinger', 'operator'], ['Saltmarten', 'user']], // prettier-ignore
      );
      for (const text of [
        facts.api_url,
        facts.access_token,
        facts.apps[2]!.client_secret!,
        facts.accounts[1]!.password,
        facts.ingest_key,
      ]) {
        assert.ok(first.output.includes(text), `prints ${text}`);
      }
      await runPrinted(first.output, facts);
      const people = samplePlayers('gullwing');
      const merged = await ask(facts.api_url, `/v1/players/${people[MERGED.from]!.uuid}`, {
        token: facts.access_token,
      });
      assert.equal(merged.json.uuid, people[MERGED.into]!.uuid);
      const matches = await ask(facts.api_url, '/v1/matches?limit=100', { token: facts.access_token });
      assert.equal(matches.json.length, dialect === 'sqlite' ? INTERRUPTED_MATCHES : 40, 'the original number');
      const online = await ask(facts.api_url, '/v1/servers', { token: facts.access_token });
      assert.equal(online.json.length, 8);
      assert.ok(online.json.some((server: { player_count: number }) => server.player_count > 0));
      await checkAllServices(facts);
      assert.equal(await first.stop(), 0);
      await assert.rejects(ask(facts.api_url, '/v1/openapi.json'), /ECONNREFUSED/);
      // On PostgreSQL parts.test.ts covers a later start.
      if (dialect === 'postgres') return;

      const second = new RunningDemo(folder, options);
      const again = await second.ready();
      assert.deepEqual([again.apps, again.accounts, again.ingest_key], [facts.apps, facts.accounts, facts.ingest_key]);
      assert.notEqual(again.access_token, facts.access_token);
      const same = await ask(again.api_url, '/v1/matches?limit=100', { token: again.access_token });
      assert.deepEqual(same.json.map(idOf), matches.json.map(idOf));
      assert.ok(!second.output.includes('Generating'));
      shared = second;
    },
  );

  test('the printed example request is correct, and commands read the settings beside the database', async () => {
    const demo = await sharedDemo();
    const facts = demo.facts();
    const line = /^ {2}(curl .*)$/m.exec(demo.output)![1]!;
    assert.equal(line, `curl -H 'Authorization: Bearer ${facts.access_token}' '${facts.api_url}/v1/matches?limit=3'`);
    const run = async (...words: string[]): Promise<Record<string, string>[]> =>
      JSON.parse((await scorehall({ DATABASE_URL: facts.database_url }, ...words, '--json')).out);
    assert.equal((await run('app', 'list')).length, 3);
    const config = await run('config');
    assert.equal(config.find(({ setting }) => setting === 'API_URL')!['value'], facts.api_url);

    const other = new RunningDemo(demo.folder);
    assert.equal(await other.ended(), 2);
    assert.match(other.output, /is already running/);
  });
});

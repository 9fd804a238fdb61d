import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { type DemoFacts, DemoFolder } from '#demo/folder.ts';
import { ask } from '#test/support/request.ts';
import { CHILD_ENVIRONMENT } from '#test/support/child.ts';
import { login, person } from '#test/support/builders.ts';
import { onEachDatabase } from '#test/support/context.ts';
import { endDemosIn, RunningDemo } from './running.ts';

/** A copy of the first filled folder: filling another one takes 4 CPU seconds. */
let filled: string | undefined;

after(async () => filled && (await rm(filled, { recursive: true, force: true })));

async function keepFilled(folder: string): Promise<void> {
  filled = await mkdtemp(join(tmpdir(), 'scorehall-demo-filled-'));
  await cp(folder, filled, { recursive: true });
}

/** A folder with a filled demo that is not running; empty where no test has filled one before. */
async function filledFolderFor(t: TestContext): Promise<string> {
  const path = await folderFor(t);
  if (filled === undefined) return path;
  await cp(filled, path, { recursive: true });
  const folder = new DemoFolder(path);
  folder.writeState({ ...folder.state()!, database_url: folder.database });
  return path;
}

async function folderFor(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'scorehall-demo-'));
  const demo = join(folder, 'demo');
  t.after(async () => {
    await endDemosIn(demo);
    await rm(folder, { recursive: true, force: true });
  });
  return demo;
}

onEachDatabase(
  'the demo fills its database once, serves, prints its credentials, and stops cleanly',
  async (t, url, dialect) => {
    const folder = await folderFor(t);
    const options = dialect === 'postgres' ? ['--database', url] : [];
    const first = new RunningDemo(folder, options, { DATABASE_URL: '/nowhere/operators-own.db' });
    const facts = await first.ready();
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
    const matches = await ask(facts.api_url, '/v1/matches?limit=100', { token: facts.access_token });
    assert.equal(matches.json.length, 40);
    const online = await ask(facts.api_url, '/v1/servers', { token: facts.access_token });
    assert.equal(online.json.length, 8);
    assert.ok(online.json.some((server: { player_count: number }) => server.player_count > 0));
    await checkAllServices(facts);
    assert.equal(await first.stop(), 0);
    await assert.rejects(ask(facts.api_url, '/v1/openapi.json'), /ECONNREFUSED/);
    if (dialect === 'sqlite') await keepFilled(folder);

    const second = new RunningDemo(folder, options);
    const again = await second.ready();
    assert.deepEqual([again.apps, again.accounts, again.ingest_key], [facts.apps, facts.accounts, facts.ingest_key]);
    assert.notEqual(again.access_token, facts.access_token);
    const same = await ask(again.api_url, '/v1/matches?limit=100', { token: again.access_token });
    assert.deepEqual(same.json.map(idOf), matches.json.map(idOf));
    assert.ok(!second.output.includes('Generating'));
    assert.equal(await second.stop(), 0);
  },
);

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

test('the printed example request is correct, and commands read the settings beside the database', async (t) => {
  const demo = new RunningDemo(await filledFolderFor(t));
  const facts = await demo.ready();
  const line = /^ {2}(curl .*)$/m.exec(demo.output)![1]!;
  assert.equal(line, `curl -H 'Authorization: Bearer ${facts.access_token}' '${facts.api_url}/v1/matches?limit=3'`);
  const main = join(import.meta.dirname, '../../src/main.ts');
  const env = { ...CHILD_ENVIRONMENT, DATABASE_URL: facts.database_url };
  const run = async (...words: string[]): Promise<Record<string, string>[]> =>
    JSON.parse((await promisify(execFile)(process.execPath, [main, ...words, '--json'], { env })).stdout);
  assert.equal((await run('app', 'list')).length, 3);
  const config = await run('config');
  assert.equal(config.find(({ setting }) => setting === 'API_URL')!['value'], facts.api_url);

  const other = new RunningDemo(demo.folder);
  assert.equal(await other.ended(), 2);
  assert.match(other.output, /is already running/);
  const elsewhere = new RunningDemo(await filledFolderFor(t));
  assert.notEqual((await elsewhere.ready()).api_url, facts.api_url, 'used ports are skipped');
});

test('an interrupted generation is resumed', async (t) => {
  const folder = await folderFor(t);
  const broken = new RunningDemo(folder, ['--matches', '300']);
  await broken.printed(/Generating/);
  assert.equal(await broken.stop(), 0);
  assert.ok(!broken.output.includes('ready'));
  const demo = new RunningDemo(folder, ['--matches', '2']);
  const { api_url, access_token } = await demo.ready();
  const { json } = await ask(api_url, '/v1/matches?limit=100', { token: access_token });
  assert.equal(json.length, 100, 'the resumed history has its original number of matches');
});

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { passwordMatches } from '#platform/crypto/passwords.ts';
import { demoAccounts, demoApps } from '#demo/credentials.ts';
import { fill } from '#demo/fill.ts';
import { type DemoFacts, DemoFolder, type DemoState } from '#demo/folder.ts';
import { demoSettings } from '#demo/settings.ts';
import { accountByName, passwordOf } from '#store/accounts/accounts.ts';
import { deleteApplication, listApplications } from '#store/applications/applications.ts';
import { ingestEvents } from '#events/ingest/ingest-events.ts';
import { configured } from '#test/support/builders.ts';
import { onEachDatabase, testContext } from '#test/support/context.ts';

async function demoFolder(t: TestContext): Promise<DemoFolder> {
  const path = await mkdtemp(join(tmpdir(), 'scorehall-demo-'));
  t.after(() => rm(path, { recursive: true, force: true }));
  return new DemoFolder(path);
}

onEachDatabase(
  'a later start reuses applications and accounts, and replaces deleted ones and wrong secrets',
  async (t, url) => {
    const { db, clock } = await testContext(t, url);
    const now = clock.now();
    const facts = { apps: await demoApps(db, now, {}), accounts: await demoAccounts(db, now, {}) };
    assert.deepEqual(await demoApps(db, now, facts), facts.apps);
    assert.deepEqual(await demoAccounts(db, now, facts), facts.accounts);
    assert.equal((await listApplications(db)).length, 3);
    await deleteApplication(db, facts.apps[0]!.client_id);
    const [installed, web, service] = await demoApps(db, now, {
      apps: facts.apps.map((app) => ({ ...app, client_secret: 'wrong' })),
    });
    assert.notEqual(installed!.client_id, facts.apps[0]!.client_id);
    assert.equal(web!.client_id, facts.apps[1]!.client_id);
    assert.match(service!.client_secret!, /^shs_/);
    const [operator] = await demoAccounts(db, now, {});
    const account = (await accountByName(db, operator!.name))!;
    assert.deepEqual([account.email_verified, account.player_uuid, account.role], [true, operator!.uuid, 'operator']);
    assert.ok(await passwordMatches(operator!.password, await passwordOf(db, account.id)));
  },
);

onEachDatabase('a database with other content is refused and not changed', async (t, url) => {
  const { db, clock } = await testContext(t, url);
  await ingestEvents(db, clock, { kind: 'operator' }, [configured('Own')]);
  const wanted: Omit<DemoState, 'filled'> = { database_url: url, seed: 'x', now: clock.now(), matches: 1 };
  const folder = await demoFolder(t);
  await assert.rejects(
    fill(db, folder, wanted, () => true),
    /contains something other than the demo/,
  );
  assert.equal(folder.state(), undefined);
});

test('the demo uses the default ports or the next free ones, and settings of the environment', async (t) => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const settings = await demoSettings({}, { NETWORK_NAME: 'Own', DATABASE_URL: 'other.db', SMTP_URL: 'smtp://mail' });
  assert.equal(settings['NETWORK_NAME'], 'Own');
  assert.equal(settings['DATABASE_URL'], undefined);
  assert.equal(settings['SMTP_URL'], undefined);
  assert.match(settings['API_URL']!, /^http:\/\/127\.0\.0\.1:7\d\d0$/);
  const used = `Another program listens at 127.0.0.1:${port}. Choose another`;
  const message = (setting: string): object => ({ message: `${used} ${setting} in the environment, or remove it.` });
  await assert.rejects(demoSettings({}, { API_URL: `http://127.0.0.1:${port}` }), message('API_URL'));
  await assert.rejects(demoSettings({}, { SITE_LISTEN: `127.0.0.1:${port}` }), message('SITE_LISTEN'));
  await assert.rejects(demoSettings({}, { INTERNAL_LISTEN: `127.0.0.1:${port}` }), message('INTERNAL_LISTEN'));
  await assert.rejects(demoSettings({}, { TIME_ZONE: 'Nowhere' }), /TIME_ZONE must be/);
});

test('a folder that cannot be written is refused with the option that chooses another', () => {
  const unwritable = '/sys/scorehall-demo';
  assert.throws(() => new DemoFolder(unwritable), {
    name: 'UsageError',
    message:
      /^The demo cannot write in the folder \/sys\/scorehall-demo \(E[A-Z]+\)\. Choose another one: npm run demo -- --folder DIR$/,
  });
});

const NOTHING: DemoFacts = {
  api_url: '',
  auth_url: '',
  site_url: '',
  ingest_url: '',
  internal_url: '',
  apps: [],
  accounts: [],
  ingest_key: '',
  access_token: '',
  database_url: '',
};

test('a damaged file of the demo counts as missing', async (t) => {
  const folder = await demoFolder(t);
  assert.deepEqual(folder.facts(), {});
  folder.writeFacts({ ...NOTHING, access_token: 'x' });
  assert.equal(folder.facts().access_token, 'x');
  folder.writeLogo('<svg/>');
  const { writeFileSync } = await import('node:fs');
  writeFileSync(folder.factsFile, '{');
  assert.deepEqual(folder.facts(), {});
});

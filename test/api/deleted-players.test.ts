import assert from 'node:assert/strict';
import { createServerKey } from '#store/game/server-keys.ts';
import { deleteAccount } from '#store/accounts/account-deletions.ts';
import { createAccount } from '#store/accounts/accounts.ts';
import { newLinkCode } from '#store/accounts/link-codes.ts';
import { erasePlayer } from '#store/accounts/deleted-players.ts';
import { serverByName } from '#store/game/servers.ts';
import { createWithdrawal } from '#events/jobs/withdrawal.ts';
import { runJob, runJobs } from '#events/jobs/runner.ts';
import { keyOf } from '#platform/ids.ts';
import { type TestApi, testApi } from '#test/support/api.ts';
import {
  account,
  configured,
  event,
  login,
  match,
  pardon,
  person,
  punishment,
  sendEvents,
  statistics,
  team,
  userToken,
} from '#test/support/builders.ts';
import { onEachDatabase } from '#test/support/context.ts';

const DAY_MS = 86_400_000;
const STEVE = person(1, 'Steve');
const BAN = { reason: 'Griefing', level: 3 };

/** The requests of packages/bukkit-plugin (Api.java) for a player who joins: the text of his ban, or null to let him in. */
async function banOf(api: TestApi, key: string, { uuid }: { uuid: string }): Promise<string | null> {
  const headers = { authorization: `Bearer ${key}`, accept: 'application/json' };
  const ask = async (path: string): Promise<any> => {
    const response = await fetch(`${api.origin}/v1/${path}`, { headers });
    assert.ok([200, 404].includes(response.status), `${path}: ${response.status}`);
    return response.status === 200 ? await response.json() : null;
  };
  if ((await ask(`players/${uuid}`))?.banned !== true) return null;
  const found = ((await ask(`players/${uuid}/punishments?limit=100`)) as any[]).find(
    ({ type, state }) => type === 'ban' && state === 0,
  );
  assert.ok(found, 'the ban is in the list');
  return found.reason;
}

async function network(t: Parameters<typeof testApi>[0], url: string) {
  const api = await testApi(t, url);
  const { context } = api;
  await sendEvents(context, configured('Alpha'), login('Alpha', STEVE));
  const key = await createServerKey(context.db, context.clock.now(), (await serverByName(context.db, 'Alpha'))!.key);
  return { api, context, key, ...context };
}

/** The access token of a new account. */
async function tokenOf({ context, app }: TestApi, role: 'user' | 'moderator' | 'operator'): Promise<string> {
  const name = `${role}s`;
  const { db, clock } = context;
  const facts = { name, email: `${name}@example.org`, password: null, email_verified: true, role };
  const made = await createAccount(db, clock.now(), facts);
  assert.ok(typeof made === 'object');
  return await userToken(context, app.client_id, made.id);
}

onEachDatabase('deleting an account sheds no ban: ban, delete, join, ban again, join', async (t, url) => {
  const { api, context, key, db, clock } = await network(t, url);
  const { id } = await account(context, 'Steve');
  const code = await newLinkCode(db, clock.now(), id);
  await sendEvents(context, event('account.link', { player: STEVE, code }, { server: 'Alpha' }));
  await sendEvents(context, match({ teams: [team('Red', 1)] }), statistics(STEVE, { kill_count: 3 }));
  const [first] = await sendEvents(
    context,
    punishment('b1', STEVE, { ...BAN, reason: 'Griefing, steve', punisher: person(2, 'Mod') }),
  );
  assert.equal(await banOf(api, key, STEVE), 'Griefing, steve');
  await deleteAccount(db, clock.now(), id);
  assert.equal(await banOf(api, key, STEVE), 'Griefing, steve', 'before the job that rewrites the events');
  await runJobs(context);
  assert.equal(await banOf(api, key, STEVE), 'Griefing, …', 'neither the name nor the pseudonym');
  clock.advance(1000);
  await sendEvents(context, login('Alpha', STEVE, { time: new Date(clock.now()).toISOString() }));
  assert.equal(await banOf(api, key, STEVE), 'Griefing, …', 'a login changes nothing');
  assert.equal((await api.get('/v1/players/Steve')).status, 404, 'and does not publish the person again');
  await sendEvents(context, pardon('b1'));
  assert.equal(await banOf(api, key, STEVE), null, 'it is revoked');
  const expires = new Date(clock.now() + DAY_MS).toISOString();
  const [second] = await sendEvents(context, punishment('b2', STEVE, { ...BAN, reason: 'Again', expires }));
  assert.equal(await banOf(api, key, STEVE), 'Again');

  await t.test('with nothing that leads to the pseudonym', async () => {
    const pseudonym = (await api.get(`/v1/punishments/${first}`)).json.punished;
    assert.match(pseudonym.name, /^deleted-/);
    const asServer = (path: string) => api.get(path, { token: key });
    const fields = 'bowspleef,cp,ctw,factions,kills,matches,objective,teampvp,total,names,head_url,counters';
    const whole = await asServer(`/v1/players/${STEVE.uuid}?fields=${fields}`);
    const { json } = whole;
    assert.deepEqual(
      [json.id, json.name, json.uuid, json.permalink_url, json.last_login, json.last_login_server, json.last_logout],
      ['', '', STEVE.uuid, '', '', '', ''],
    );
    assert.deepEqual([json.banned, json.total.kill_count, json.factions.kill_count], [true, 0, 0]);
    const lookup = `/v1/players?uuids=${STEVE.uuid}`;
    assert.deepEqual((await asServer(lookup)).json[0].player, (await asServer(`/v1/players/${STEVE.uuid}`)).json);
    assert.equal((await api.get(lookup)).json[0].status, 'not_found', 'only game servers and staff may know');
    assert.deepEqual([json.matches, json.kills, json.deaths, json.names, json.head_url], [[], [], [], [], '']);
    const listed = await asServer(
      `/v1/players/${STEVE.uuid.replaceAll('-', '')}/punishments?fields=expires,revocation,appeal`,
    );
    const ours = {
      ...{ id: '', punisher: null, punished: { uuid: STEVE.uuid, name: '' }, state: 0, reason: 'Again', level: 3 },
      ...{ type: 'ban', server: '', automatic: false, permalink_url: '', revocation: null, appeal: '' },
    };
    const { time, ...rest } = listed.json[0];
    assert.deepEqual([listed.json.length, rest], [1, { ...ours, expires: expires.replace('Z', '+00:00') }]);
    assert.equal(time, (await api.get(`/v1/punishments/${second}`)).json.time);
    for (const reply of [whole, listed])
      for (const secret of [pseudonym.uuid, pseudonym.name, 'Steve', first!, second!])
        assert.ok(!JSON.stringify([reply.json, reply.headers]).includes(secret), secret);
    for (const path of ['matches', 'kills', 'deaths'])
      assert.equal((await asServer(`/v1/players/${STEVE.uuid}/${path}`)).status, 404, path);
    assert.deepEqual((await asServer(`/v1/players/${STEVE.uuid}/punishments?max_id=0`)).json, []);
  });

  await t.test('for staff too, and for no other credential', async () => {
    const paths = [`/v1/players/${STEVE.uuid}`, `/v1/players/${STEVE.uuid}/punishments`];
    for (const role of ['moderator', 'operator'] as const) {
      const token = await tokenOf(api, role);
      for (const path of paths) assert.equal((await api.get(path, { token })).status, 200, `${role} ${path}`);
    }
    const other = await tokenOf(api, 'user');
    for (const path of paths) {
      const unknown = await api.get(path.replace(STEVE.uuid, person(77).uuid));
      for (const reply of [await api.get(path), await api.get(path, { token: other })]) {
        assert.equal(reply.status, 404);
        assert.deepEqual(
          [reply.text, reply.headers.etag],
          [unknown.text, unknown.headers.etag],
          'as for an unknown player',
        );
      }
    }
  });

  await t.test('it expires, and the list of punishments has its page under the pseudonym', async () => {
    clock.advance(DAY_MS);
    assert.equal(await banOf(api, key, STEVE), null);
    const reply = await api.get(`/v1/players/${STEVE.uuid}`, { token: key });
    assert.equal(reply.status, 404, 'without a punishment in force as for an unknown player');
  });

  await t.test('a withdrawn change of a punishment keeps it', async () => {
    await sendEvents(context, punishment('b3', STEVE, BAN));
    const [changed] = await sendEvents(context, event('punishment.changed', { punishment: 'b3', reason: 'Other' }));
    await runJob(context, await createWithdrawal(db, clock, { keys: [keyOf(changed!)!] }));
    assert.equal(await banOf(api, key, STEVE), 'Griefing');
  });

  await t.test('linking again returns the punishments that were issued meanwhile', async () => {
    const again = await account(context, 'Again');
    const newCode = await newLinkCode(db, clock.now(), again.id);
    await sendEvents(
      context,
      punishment('b4', STEVE, { ...BAN, reason: 'In the batch of the link' }),
      event('account.link', { player: STEVE, code: newCode }, { server: 'Alpha' }),
    );
    await runJobs(context);
    const { json } = await api.get(`/v1/players/Steve/punishments`);
    assert.deepEqual(
      json.map(({ reason, state }: any) => [reason, state]),
      [
        ['In the batch of the link', 0],
        ['Griefing', 0],
        ['Again', 1],
        ['Griefing, Steve', 2],
      ],
    );
    assert.equal(await banOf(api, key, STEVE), 'In the batch of the link');
  });
});

onEachDatabase('neither erasing a player nor deleting before the first ban makes immune', async (t, url) => {
  const { api, context, key, db, clock } = await network(t, url);
  await sendEvents(context, punishment('b1', STEVE, BAN));
  assert.ok('uuid' in (await erasePlayer(db, clock.now(), STEVE.uuid)));
  await runJobs(context);
  assert.equal(await banOf(api, key, STEVE), 'Griefing');

  const ann = person(5, 'Ann');
  const { id } = await account(context, 'Ann', ann.uuid);
  await deleteAccount(db, clock.now(), id);
  await runJobs(context);
  assert.equal(await banOf(api, key, ann), null);
  await sendEvents(context, login('Alpha', ann), punishment('b2', ann, { ...BAN, reason: 'New here' }));
  assert.equal(await banOf(api, key, ann), 'New here');
});

import assert from 'node:assert/strict';
import { openServices } from '#server/listeners.ts';
import { RefusedRequests } from '#http/refused-requests.ts';
import { addRefusedRequests, topRefusedSenders } from '#store/installation/refused-requests.ts';
import { account, application, configured, sendEvents, userToken } from '#test/support/builders.ts';
import { onEachDatabase, onSqlite, type TestAppContext, testContext } from '#test/support/context.ts';
import { ask, askRaw } from '#test/support/request.ts';
import { createServerKey } from '#store/game/server-keys.ts';
import { serverByName } from '#store/game/servers.ts';
import { scorehall } from '../cli/scorehall.ts';

const HOUR_MS = 3_600_000;

/** The header of a proxy for a request of this client. */
const from = (address: string) => ({ 'x-forwarded-for': address });

/** Starts the services of one process, sends requests to them, and stops them. */
async function sendRefused(context: TestAppContext, token: string, key: string): Promise<void> {
  await using services = await openServices(context, ['API', 'AUTH', 'SITE', 'INGEST']);
  const { API, AUTH, SITE, INGEST } = services.addresses;
  for (let count = 0; count < 3; count++)
    assert.equal((await ask(API!, '/v1/matches?limit=x', { token, headers: from('192.0.2.1') })).status, 400);
  assert.equal((await ask(API!, '/v1/matches', { token: 'wrong', headers: from('192.0.2.1') })).status, 401);
  assert.equal((await ask(AUTH!, '/none', { headers: from('192.0.2.2') })).status, 404);
  assert.equal((await ask(SITE!, '/players/none', { headers: from('2001:db8::1') })).status, 404);
  assert.equal((await ask(SITE!, '/matches', { headers: from('192.0.2.9') })).status, 200);
  const body = {
    method: 'POST',
    token: key,
    body: 'x',
    headers: { ...from('2001:db8::2'), 'content-type': 'text/html' },
  };
  assert.equal((await ask(INGEST!, '/events', body)).status, 415);
  assert.equal((await askRaw(INGEST!, 'nonsense\r\n\r\n'))[0]!.status, 400);
}

onEachDatabase(
  'the refused requests of all processes and threads are listed by sender, for an hour',
  async (t, url) => {
    const context = await testContext(t, url, { TRUSTED_PROXIES: '127.0.0.1' });
    const other = await testContext(t, url, { TRUSTED_PROXIES: '127.0.0.1' });
    const { db, clock } = context;
    const { client_id } = await application(context, { name: 'Tracker' });
    const { id } = await account(context, 'Mallory');
    const token = await userToken(context, client_id, id);
    await sendEvents(context, configured('Alpha'));
    const { key: serverKey } = (await serverByName(db, 'Alpha'))!;
    const secret = await createServerKey(db, clock.now(), serverKey);
    const since = clock.now();
    await Promise.all([sendRefused(context, token, secret), sendRefused(other, token, secret)]);

    const list = await topRefusedSenders(db, clock.now(), 10);
    const shown = list.map(({ kind, sender, name, requests, statuses }) => [kind, name ?? sender, requests, statuses]);
    assert.deepEqual(shown, [
      ['address', '192.0.2.1', 8, [[400, 6], [401, 2]]], // prettier-ignore
      ['address', '2001:db8:0:0::/64', 4, [[404, 2], [415, 2]]], // prettier-ignore
      ['address', '127.0.0.1', 2, [[400, 2]]],
      ['address', '192.0.2.2', 2, [[404, 2]]],
      ['application', 'Tracker', 6, [[400, 6]]],
      ['server', 'Alpha', 2, [[415, 2]]],
      ['account', 'Mallory', 6, [[400, 6]]],
    ]);
    assert.ok(list.every((one) => one.since === since));

    clock.advance(HOUR_MS);
    assert.deepEqual(await topRefusedSenders(db, clock.now(), 10), []);
  },
);

onEachDatabase('scorehall top shows them', async (t, url) => {
  const context = await testContext(t, url);
  const { client_id } = await application(context, { name: 'Tracker' });
  const now = Date.now();
  await addRefusedRequests(context.db, now, [
    { kind: 'address', sender: '192.0.2.1', status: 401, count: 800 },
    { kind: 'address', sender: '192.0.2.1', status: 429, count: 12 },
    { kind: 'address', sender: '192.0.2.2', status: 404, count: 3 },
    { kind: 'address', sender: '*', status: 404, count: 900 },
    { kind: 'application', sender: client_id, status: 403, count: 7 },
  ]);
  const environment = { DATABASE_URL: url, SECRET_KEY: 'a secret that is long enough for tests' };
  const { out, err } = await scorehall(environment, 'top', '--limit', '2');
  const since = new Date(now).toISOString();
  assert.deepEqual(
    out.trimEnd().split('\n').map((line) => line.split(/ {2,}/)),
    [
      ['kind', 'sender', 'name', 'refused', 'statuses', 'since'],
      ['address', 'others', '-', '900', '404: 900', since],
      ['address', '192.0.2.1', '-', '812', '401: 800, 429: 12', since],
      ['application', client_id, 'Tracker', '7', '403: 7', since],
    ],
    err,
  ); // prettier-ignore
});

onSqlite('a client with many addresses fills neither the memory nor the database, and hides nobody', async (t, url) => {
  const context = await testContext(t, url);
  const { db, clock } = context;
  const refused = new RefusedRequests(context);
  for (let count = 0; count < 10_000; count++) {
    refused.add({ address: `2001:db8:0:${count.toString(16)}::/64`, application: 'one' }, 401);
    if (count % 100 === 0) refused.add({ address: '192.0.2.1' }, 429);
  }
  await refused.save();
  const senders = await topRefusedSenders(db, clock.now(), 100_000);
  const [first, second, ...others] = senders.filter(({ kind }) => kind === 'address');
  assert.deepEqual([first!.sender, first!.statuses[0]![0]], ['*', 401]);
  assert.deepEqual([second!.sender, second!.requests], ['192.0.2.1', 100]);
  assert.ok(others.length <= 50, String(others.length));
  assert.equal(
    senders.filter(({ kind }) => kind === 'address').reduce((sum, { requests }) => sum + requests, 0),
    10_100,
  );
  assert.deepEqual(senders.find(({ kind }) => kind === 'application')?.requests, 10_000);
  await refused[Symbol.asyncDispose]();
});

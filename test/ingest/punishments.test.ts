import assert from 'node:assert/strict';
import { sql } from '#db/sql.ts';
import { listAudit } from '#store/audit/audit.ts';
import { findServerKey, listServerKeys, revokeServerKeys } from '#store/game/server-keys.ts';
import { punishmentByKey, type Punishment } from '#store/game/punishments.ts';
import { serverByName } from '#store/game/servers.ts';
import { keyOf } from '#platform/ids.ts';
import { ingestEvents } from '#events/ingest/ingest-events.ts';
import type { WireEvent } from '#events/schema/index.ts';
import { type Reply } from '#test/support/request.ts';
import { after, configured, event, pardon, person, punishment, sendEvents } from '#test/support/builders.ts';
import { onEachDatabase } from '#test/support/context.ts';
import { type HttpService, keyOf as newKey, openIngestService } from './service.ts';

const ADA = person(1, 'Ada');
const MOD = person(2, 'Mod');

/** An ingest whose server Alpha has issued a punishment. */
async function withPunishment(t: Parameters<typeof openIngestService>[0], url: string) {
  const service = await openIngestService(t, url);
  const issued = await service.post(punishment('p1', ADA));
  assert.equal(issued.json.status, 'accepted', issued.text);
  const id = issued.json.receipt as string;
  return { ...service, id, find: () => found(service, id) };
}

async function found({ context }: Pick<HttpService, 'context'>, id: string): Promise<Punishment> {
  return (await punishmentByKey(context.db, keyOf(id)!, context.clock.now()))!;
}

type Changed = Extract<WireEvent, { type: 'punishment.changed' }>['data'];
type Revoked = Extract<WireEvent, { type: 'punishment.revoked' }>['data'];
const change = (data: Changed, time = after(0)): WireEvent => event('punishment.changed', data, { time });
const revoke = (data: Revoked): WireEvent => event('punishment.revoked', data);

function assertRejected({ json }: Pick<Reply, 'json'>, place: string, retry: boolean): void {
  assert.equal(json.status, 'rejected', JSON.stringify(json));
  assert.deepEqual([json.place, json.retry ?? false], [place, retry], json.reason);
}

onEachDatabase('any server of the network changes and revokes a punishment by its id', async (t, url) => {
  const { post, beta, id, find, context } = await withPunishment(t, url);
  const longer = await post(change({ punishment_id: id, reason: 'Evasion', level: 3, expires: after(9_000) }), {
    token: beta,
  });
  assert.equal(longer.json.status, 'accepted', longer.text);
  const { reason, level, expires, server } = await find();
  assert.deepEqual([reason, level, expires, server], ['Evasion', 3, Date.parse(after(9_000)), 'Alpha']);
  const lifted = await post(revoke({ punishment_id: id, reason: 'Wrong person', revoker: MOD }), { token: beta });
  assert.equal(lifted.json.status, 'accepted');
  const { state, revocation } = await find();
  assert.equal(state, 2);
  assert.deepEqual(revocation, { time: Date.parse(after(0)), reason: 'Wrong person', by: MOD, server: 'Beta' });
  const again = await post(pardon('p1'));
  assert.match(again.json.note, /already revoked/);

  const [first, second] = await listAudit(context.db, { action: 'punishment' }, 9);
  const { key } = (await serverByName(context.db, 'Beta'))!;
  const betaKey = (await listServerKeys(context.db, key))[0]!.id;
  assert.deepEqual(
    [first, second].map((entry) => [entry!.action, entry!.subject, entry!.label, entry!.actor, entry!.detail['key']]),
    [
      ['punishment.revoke', id, 'Ada', 'Beta', betaKey],
      ['punishment.change', id, 'Ada', 'Beta', betaKey],
    ],
  );
  assert.equal(second!.detail['level'], 3);
  assert.equal(
    (await listAudit(context.db, { action: 'punishment' }, 9)).length,
    2,
    'what changes nothing is no entry',
  );
});

onEachDatabase("a punishment is named by its issuer's own name, without a server by the sender's", async (t, url) => {
  const { post, beta, id, find, context } = await withPunishment(t, url);
  const [network] = await sendEvents(context, punishment('n1', ADA));
  assertRejected(await post(revoke({ punishment: 'p1' }), { token: beta }), 'data.punishment', true);
  assertRejected(await post(revoke({ punishment: 'p1', server: 'Beta' }), { token: beta }), 'data.punishment', true);
  assertRejected(await post(revoke({ punishment: 'p1', server: 'Nowhere' }), { token: beta }), 'data.punishment', true);
  assertRejected(await post(revoke({ punishment_id: '00000000001' }), { token: beta }), 'data.punishment_id', true);
  assert.equal((await post(revoke({ punishment: 'p1', server: 'alPHA' }), { token: beta })).json.status, 'accepted');
  assert.equal((await find()).state, 2);
  assert.equal((await post(revoke({ punishment: 'n1', server: '' }), { token: beta })).json.status, 'accepted');
  assert.equal((await found({ context }, network!)).state, 2);

  const wrong: [Revoked, string, RegExp][] = [
    [{}, 'data.punishment', /punishment_id, or by punishment/],
    [{ server: 'Alpha' }, 'data.punishment', /punishment_id, or by punishment/],
    [{ punishment_id: id, punishment: 'p1' }, 'data.punishment_id', /must stand alone/],
    [{ punishment_id: id, server: 'Alpha' }, 'data.punishment_id', /must stand alone/],
    [{ punishment_id: 'p1' }, 'data.punishment_id', /as its receipt and \/v1 show it/],
  ];
  for (const [data, place, sentence] of wrong) {
    const reply = await post(revoke(data));
    assertRejected(reply, place, false);
    assert.match(reply.json.reason, sentence);
  }
  const unlike = await post(change({}));
  assertRejected(unlike, 'data.punishment', false);
});

onEachDatabase(
  'the punishments of a removed server can still be changed, and its keys change nothing',
  async (t, url) => {
    const { post, alpha, beta, id, find, context } = await withPunishment(t, url);
    await sendEvents(context, event('server.removed', {}, { server: 'Alpha' }));
    const late = await post(revoke({ punishment_id: id }), { token: alpha });
    if (late.status === 200) assertRejected(late, '', true);
    else assert.equal(late.status, 401);
    assert.equal((await find()).state, 0);
    const changed = await post(change({ punishment: 'p1', server: 'Alpha', reason: 'Still here' }), { token: beta });
    assert.equal(changed.json.status, 'accepted', changed.text);
    assert.equal((await find()).reason, 'Still here');
  },
);

onEachDatabase('a server that is set to its own punishments changes no other', async (t, url) => {
  const { post, beta, id, find, context } = await withPunishment(t, url);
  await sendEvents(context, configured('Beta', { punishments: 'own' }));
  assertRejected(await post(revoke({ punishment_id: id }), { token: beta }), 'data.punishment_id', false);
  const named = change({ punishment: 'p1', server: 'Alpha', level: 9 });
  assertRejected(await post(named, { token: beta }), 'data.server', false);
  assert.deepEqual([(await find()).state, (await find()).level], [0, 0]);
  const own = await post([punishment('p1', ADA), revoke({ punishment: 'p1' })], { token: beta });
  assert.deepEqual(
    own.json.map(({ status }: { status: string }) => status),
    ['accepted', 'accepted'],
  );
  await sendEvents(context, configured('Beta', { region: 'us' }));
  assertRejected(await post(revoke({ punishment_id: id }), { token: beta }), 'data.punishment_id', false);
  await sendEvents(context, configured('Beta', { punishments: 'network' }));
  assert.equal((await post(revoke({ punishment_id: id }), { token: beta })).json.status, 'accepted');
});

onEachDatabase('a revoked or test key changes nothing, also within a request that has begun', async (t, url) => {
  const { post, alpha, id, find, context } = await withPunishment(t, url);
  const trial = await newKey(context, 'Beta', true);
  assert.equal((await post(revoke({ punishment_id: id }), { token: trial })).json.status, 'accepted');
  assert.equal((await find()).state, 0, 'a test key gets receipts and stores nothing');
  assert.deepEqual(await listAudit(context.db, { action: 'punishment' }, 9), []);

  const { db, clock } = context;
  const { test: _, ...sender } = (await findServerKey(db, alpha, clock.now()))!;
  await revokeServerKeys(db, clock.now(), sender.serverKey);
  const late = [revoke({ punishment_id: id }), change({ punishment: 'p1', level: 5 }), punishment('p2', ADA)];
  const receipts = await ingestEvents(db, clock, { kind: 'server', ...sender }, late);
  assert.equal(receipts.length, 3);
  for (const json of receipts) assertRejected({ json }, '', true);
  assert.equal((await post(late[0], { token: alpha })).status, 401);
  assert.deepEqual([(await find()).state, (await find()).level], [0, 0]);
  assert.equal((await context.db.all(sql`select key from punishments`)).length, 1);
});

onEachDatabase('two servers revoke the same punishment at once: the first one counts', async (t, url) => {
  const { post, beta, id, find, context } = await withPunishment(t, url);
  const replies = await Promise.all([
    post(revoke({ punishment_id: id, reason: 'one' })),
    post(revoke({ punishment_id: id, reason: 'two' }), { token: beta }),
  ]);
  assert.deepEqual(
    replies.map(({ json }) => json.status),
    ['accepted', 'accepted'],
  );
  const winner = replies.findIndex(({ json }) => json.note === undefined);
  assert.equal((await find()).revocation!.reason, ['one', 'two'][winner]);
  assert.equal((await listAudit(context.db, { action: 'punishment.revoke' }, 9)).length, 1);
});

import assert from 'node:assert/strict';
import { testApi } from '#test/support/api.ts';
import { after, BEGINNING, configured, event, pardon, person, punishment, sendEvents } from '#test/support/builders.ts';
import { onEachDatabase } from '#test/support/context.ts';

const ADA = person(1, 'Ada');
const EVE = person(6, 'Eve');

/** A timestamp as the data API writes it. */
const written = (iso: string): string => iso.replace('Z', '+00:00');

onEachDatabase('a punishment has its people, its reason and its current state', async (t, url) => {
  const { context, get } = await testApi(t, url, { APPEAL_URL: 'https://example.org/appeals' });
  await sendEvents(context, configured('Alpha'));
  const state = async (id: string): Promise<number> => (await get(`/v1/punishments/${id}`)).json.state;
  const banned = async (): Promise<boolean> => (await get('/v1/players/Ada')).json.banned;

  await t.test('all members', async () => {
    const facts = { punisher: person(2, 'Mod'), type: 'Sanction', level: 4, reason: 'Why', automatic: true };
    const [id] = await sendEvents(context, punishment('whole', ADA, facts, { server: 'Alpha' }));
    const { json } = await get(`/v1/punishments/${id}`);
    assert.deepEqual(json, {
      ...{ id, punisher: person(2, 'Mod'), punished: ADA, state: 0, reason: 'Why', level: 4 },
      ...{ time: '2026-03-01T12:00:00.000+00:00', type: 'Sanction', server: 'Alpha', automatic: true },
      permalink_url: `${context.config.SITE_URL}/punishments/${id}`,
    });
    assert.deepEqual((await get('/v1/punishments')).json, [json]);
    assert.deepEqual((await get('/v1/players/ada/punishments')).json, [json]);
    const [minimal] = await sendEvents(context, punishment('minimal', person(9)));
    const { punisher, server, reason, level, automatic } = (await get(`/v1/punishments/${minimal}`)).json;
    assert.deepEqual([punisher, server, reason, level, automatic], [null, '', '', 0, false]);
  });

  await t.test('only the type ban bans, ignoring case', async () => {
    for (const type of ['mute', 'kick', 'warn', 'banish']) await sendEvents(context, punishment(type, ADA, { type }));
    assert.equal(await banned(), false);
    for (const type of ['ban', 'BAN', 'Ban']) {
      await sendEvents(context, punishment(type, ADA, { type }));
      assert.equal(await banned(), true, type);
      await sendEvents(context, pardon(type));
      assert.equal(await banned(), false, type);
    }
  });

  await t.test('it expires exactly on time, without waiting for a background job', async () => {
    const [id] = await sendEvents(context, punishment('short', ADA, { expires: after(5_000) }));
    context.clock.advance(4_999);
    assert.deepEqual([await state(id!), await banned()], [0, true]);
    const { headers } = await get('/v1/players/Ada');
    context.clock.advance(1);
    assert.deepEqual([await state(id!), await banned()], [1, false]);
    const lists = ['/v1/punishments', '/v1/players/ada/punishments'];
    for (const list of lists) assert.equal((await get(list)).json[0].state, 1, list);
    const conditional = await get('/v1/players/Ada', { headers: { 'if-none-match': headers.etag! } });
    assert.equal(conditional.status, 200, 'the entity tag has changed');
  });

  await t.test('it can be changed and revoked', async () => {
    const [id] = await sendEvents(context, punishment('long', ADA, { expires: after(60_000) }));
    context.clock.advance(60_000);
    assert.equal(await state(id!), 1);
    const changed = { punishment: 'long', expires: null, reason: 'Longer' };
    await sendEvents(context, event('punishment.changed', changed, { time: after(60_000) }));
    assert.deepEqual([await state(id!), await banned()], [0, true]);
    assert.equal((await get(`/v1/punishments/${id}`)).json.reason, 'Longer');
    await sendEvents(context, pardon('long', { time: after(60_001) }));
    assert.deepEqual([await state(id!), await banned()], [2, false]);
  });

  await t.test('`fields` adds the expiry and the revocation, and nothing else is added', async () => {
    const time = new Date(context.clock.now()).toISOString();
    const expires = new Date(context.clock.now() + 9_000).toISOString();
    const [id] = await sendEvents(context, punishment('fields', EVE, { expires }, { server: 'Alpha', time }));
    const plain = (await get(`/v1/punishments/${id}`)).json;
    assert.deepEqual(['expires' in plain, 'revocation' in plain], [false, false]);
    const all = async (path = `/v1/punishments/${id}`) => (await get(`${path}?fields=expires,%20revocation`)).json;
    assert.deepEqual(await all(), { ...plain, expires: written(expires), revocation: null });
    const facts = { punishment_id: id!, reason: 'Wrong player', revoker: person(2, 'Mod') };
    await sendEvents(context, event('punishment.revoked', facts, { server: 'Alpha', time }));
    const revocation = { time: written(time), reason: 'Wrong player', by: person(2, 'Mod'), server: 'Alpha' };
    assert.deepEqual((await all()).revocation, revocation);
    for (const list of ['/v1/punishments', '/v1/players/eve/punishments'])
      assert.deepEqual((await all(list))[0].revocation, revocation, list);
    assert.deepEqual((await get(`/v1/punishments?fields=revocation&limit=1`)).json[0].expires, undefined);
    const [forever] = await sendEvents(context, punishment('forever', EVE), pardon('forever'));
    const { by, server, reason } = (await all(`/v1/punishments/${forever}`)).revocation;
    assert.deepEqual([by, server, reason], [null, '', '']);
    assert.equal((await all(`/v1/punishments/${forever}`)).expires, null);
    const { json } = await get(`/v1/punishments/${forever}?fields=appeal`);
    assert.deepEqual([json.appeal, json.expires], ['https://example.org/appeals', undefined]);
    for (const path of ['/v1/punishments', `/v1/punishments/${id}`, '/v1/players/eve/punishments']) {
      const refused = await get(`${path}?fields=nonsense`);
      assert.deepEqual([refused.status, refused.json.error], [400, 'invalid_request'], path);
      assert.match(refused.json.error_description, /expires, revocation, appeal/);
    }
  });

  await t.test('a player is banned while at least one ban is active', async () => {
    await sendEvents(context, punishment('one', ADA, { expires: after(100_000) }), punishment('two', ADA));
    await sendEvents(context, pardon('two'));
    assert.equal(await banned(), true);
    context.clock.advance(100_000);
    assert.equal(await banned(), false);
  });

  await t.test('the list has only punishments of the player, and an unknown player is 404', async () => {
    const [id] = await sendEvents(context, punishment('other', person(3, 'Bob')));
    const theirs = (await get(`/v1/players/${person(3).uuid.replaceAll('-', '')}/punishments?other=nonsense`)).json;
    assert.deepEqual(
      theirs.map((item: { id: string }) => item.id),
      [id],
    );
    assert.equal((await get('/v1/players/nobody/punishments')).status, 404);
    for (const wrong of ['x', '00000000000', id!.toUpperCase(), 'whole'])
      assert.equal((await get(`/v1/punishments/${wrong}`)).status, 404);
  });

  await t.test('the punished player has the current name, the punisher the name at the time', async () => {
    const renamed = { player: { ...ADA, name: 'Countess' } };
    await sendEvents(context, event('player.login', renamed, { server: 'Alpha', time: after(1, BEGINNING) }));
    const { punished } = (await get('/v1/punishments?limit=100')).json.at(-1);
    assert.deepEqual(punished, { ...ADA, name: 'Countess' });
  });
});

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'node:test';
import { recordVisit } from '#store/accounts/last-visits.ts';
import { jsonPieces, Members } from '#platform/streams/json-stream.ts';
import { event, match, person, punishment, team, sendEvents } from '#test/support/builders.ts';
import { onEachDatabase } from '#test/support/context.ts';
import { Person } from './person.ts';
import { makeAccount, openTestAuth, PASSWORD } from './support.ts';

const [STEVE, ALEX] = [person(1, 'Steve'), person(2, 'Alex')];
/** Full pages of the export's queries, and lengths that need one more page. */
const [MATCHES, KILLS, NAMES] = [1_000, 1_203, 501];

onEachDatabase('the export streams everything about an account, and is limited to ten an hour', async (t, url) => {
  const services = await openTestAuth(t, url);
  const { context } = services;
  const time = new Date(context.clock.now()).toISOString();
  const account = await makeAccount(services, 'Someone', STEVE);
  const timestamps = { started: time, finished: time };
  const kills = Array.from({ length: KILLS }, () => ({ killer: STEVE.uuid, victim: ALEX.uuid, time }));
  const teams = [team('Red', STEVE), team('Blue', ALEX)];
  await sendEvents(context, match({ ...timestamps, teams, kills }, { time }));
  const others = Array.from({ length: MATCHES - 1 }, () =>
    match({ ...timestamps, teams: [team('Red', STEVE)] }, { time }),
  );
  await sendEvents(context, ...others);
  const names = Array.from({ length: NAMES }, (_, place) =>
    event(
      'player.named',
      { player: { ...STEVE, name: `Alias${place}` } },
      { time: new Date(context.clock.now() - 1000 * (place + 1)).toISOString() },
    ),
  );
  await sendEvents(context, ...names, punishment('p', STEVE, { type: 'warn' }, { time }));
  await sendEvents(context, event('player.privacy', { player: STEVE.uuid, profile: true, online: false, names: true }));
  await recordVisit(context.db, context.clock.now(), account.id, { player: 1, wins: 3, place: 12 });
  const visitor = new Person(services.auth);
  await visitor.open('/sign-in');
  await visitor.submit({ login: 'Steve', password: PASSWORD });
  const cookie = `scorehall_session=${visitor.cookie('scorehall_session')!}`;
  const ask = (init: RequestInit = {}): Promise<Response> =>
    fetch(`${services.auth}/account/export`, { ...init, headers: { cookie } });

  const answer = await ask();
  assert.match(answer.headers.get('content-disposition')!, /account\.json/);
  const chunks: Uint8Array[] = [];
  for await (const chunk of answer.body!) chunks.push(chunk as Uint8Array);
  assert.ok(chunks.length > 3, `${chunks.length} pieces`);
  const received = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Record<string, any>;
  const { player } = received;
  assert.deepEqual([received['account'].id, received['account'].email], [account.id, account.email]);
  assert.deepEqual([player.matches.length, player.kills.length, player.names.length], [MATCHES, KILLS, NAMES + 1]);
  assert.equal(new Set(player.matches.map(({ id }: { id: string }) => id)).size, MATCHES);
  assert.equal(new Set(player.names.map(({ name }: { name: string }) => name)).size, NAMES + 1);
  assert.deepEqual([player.punishments.length, player.ratings, player.uuid], [1, [], STEVE.uuid]);
  assert.deepEqual(player.privacy, { profile: true, online: false, names: true });
  const former = { former_seen: null, former_wins: null, former_place: null };
  assert.deepEqual(received['last_visits'], { seen: time, wins: 3, place: 12, ...former });
  assert.ok(received['tokens'].length > 0 && received['acts'].length > 0);
  assert.doesNotMatch(JSON.stringify(received), /argon2|password|"hash"/);

  const abort = new AbortController();
  const aborted = await ask({ signal: abort.signal });
  abort.abort();
  await assert.rejects(aborted.text());
  for (let time = 0; time < 8; time++) await (await ask()).text();
  const refused = await ask();
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '3600']);
});

test('streamed JSON equals JSON.stringify', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fc.jsonValue(), { maxLength: 3 }), { maxLength: 4 }),
      fc.jsonValue(),
      async (pages, value) => {
        const streamed = (): AsyncGenerator<unknown[]> =>
          (async function* () {
            yield* pages;
          })();
        const whole = new Members({
          value,
          rows: streamed(),
          'in"side': new Members({ rows: streamed(), none: null }),
        });
        const text = (await Array.fromAsync(jsonPieces(whole))).join('');
        const rows = JSON.parse(JSON.stringify(pages.flat())) as unknown;
        const same = JSON.parse(JSON.stringify(value)) as unknown;
        assert.deepEqual(JSON.parse(text), { value: same, rows, 'in"side': { rows, none: null } });
      },
    ),
  );
});

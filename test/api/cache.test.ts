import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { createInterface, type Interface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import type { TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { keyOf } from '#platform/ids.ts';
import { secretHash } from '#platform/crypto/secrets.ts';
import { pseudonymise } from '#store/accounts/pseudonyms.ts';
import { testApi, type TestApi } from '#test/support/api.ts';
import { after, BEGINNING, event, match, person, serviceToken, sendEvents, team } from '#test/support/builders.ts';
import { onEachDatabase, onSqlite } from '#test/support/context.ts';
import type { Order } from './other-process.ts';
import { finishJobs, retractEvents } from '#test/support/jobs.ts';

/** A second process that writes to the same database. */
class OtherProcess {
  readonly #child: ChildProcess;
  readonly #lines: Interface;

  constructor(t: TestContext, url: string) {
    const file = fileURLToPath(new URL('other-process.ts', import.meta.url));
    this.#child = spawn(process.execPath, [file, url], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#lines = createInterface({ input: this.#child.stdout! });
    t.after(() => {
      this.#child.stdin!.end();
      return once(this.#child, 'exit');
    });
  }

  ready(): Promise<unknown> {
    return once(this.#lines, 'line');
  }

  async do(order: Order): Promise<void> {
    const done = once(this.#lines, 'line');
    this.#child.stdin!.write(`${JSON.stringify(order)}\n`);
    await done;
  }
}

/** A change between two reads, made by this process or by the other one. */
const step = fc.record({
  act: fc.constantFrom('ingest', 'retract', 'nothing'),
  byOther: fc.boolean(),
  pick: fc.nat(50),
});

onEachDatabase('a cached response is never stale, whichever process writes', async (t, url) => {
  const api = await testApi(t, url);
  const other = new OtherProcess(t, url);
  await other.ready();
  const ids: string[] = [];
  const run = async ({ act, byOther, pick }: typeof step extends fc.Arbitrary<infer S> ? S : never): Promise<void> => {
    if (act === 'ingest') await sendOne(api, byOther ? other : undefined);
    if (act === 'retract' && ids.length > 0) {
      const [id] = ids.splice(pick % ids.length, 1) as [string];
      const keys = [keyOf(id)!];
      await (byOther ? other.do({ retract: keys }) : retractEvents(api.context.db, api.context.clock, keys));
      assert.equal((await api.get(`/v1/matches/${id}`)).status, 404, 'a retracted match is immediately gone');
    }
    await compareWithUncached(api, ids);
  };
  const steps = fc.array(step, { maxLength: 12 });
  const runAll = async (all: readonly Parameters<typeof run>[0][]): Promise<void> => {
    for (const one of all) await run(one);
  };
  await fc.assert(fc.asyncProperty(steps, runAll), { numRuns: 12 });
});

async function sendOne({ context }: TestApi, other: OtherProcess | undefined): Promise<void> {
  const event = match({ map: `Map ${Math.random()}`, teams: [{ name: 'Red', players: [person(1), person(2)] }] });
  if (other === undefined) await sendEvents(context, event);
  else await other.do({ ingest: [event] });
}

/**
 * Sends requests often enough for their responses to be cached, and compares these with responses that never are, because
 * their URL contains a percent sign. Updates `ids` with those of all matches.
 */
async function compareWithUncached({ get }: TestApi, ids: string[]): Promise<void> {
  const newest = (await get('/v1/matches?limit=100&%6eot=cached')).json as { id: string }[];
  ids.splice(0, ids.length, ...newest.map(({ id }) => id));
  const paths = ['/v1/matches?limit=100', `/v1/matches?max_id=${ids[1] ?? 'zz'}`];
  for (const id of ids.slice(0, 4)) paths.push(`/v1/matches/${id}`);
  for (const path of paths) {
    const fresh = await get(`${path}${path.includes('?') ? '&' : '?'}%6eot=cached`);
    for (let time = 0; time < 3; time++) {
      const reply = await get(path);
      assert.deepEqual([reply.status, reply.text], [fresh.status, fresh.text], path);
      assert.equal(reply.headers.etag, fresh.headers.etag);
    }
  }
}

onEachDatabase('a match gets another entity tag when one of its players is anonymised', async (t, url) => {
  const { context, get } = await testApi(t, url);
  const { db, clock } = context;
  await sendEvents(context, match({ teams: [{ name: 'Red', players: [person(1), person(2)] }] }));
  const [{ id }] = (await get('/v1/matches')).json as [{ id: string }];
  const seen = new Map<string, string>();
  const look = async (): Promise<void> => {
    const { text, headers } = await get(`/v1/matches/${id}`);
    seen.set(headers.etag!, text);
    assert.equal((await get(`/v1/matches/${id}`, { headers: { 'if-none-match': headers.etag! } })).status, 304);
  };
  for (const player of [person(3), person(1), person(2)]) {
    await look();
    await db.transaction((tx) => pseudonymise(tx, clock.now(), player.uuid));
    await finishJobs(db);
  }
  await look();
  assert.equal(new Set(seen.values()).size, 3, 'a player of another match changes nothing');
});

/** The compared members of a match with a merged player, of that player's kills and of a match without merged players. */
const everywhere = (name: string, objectiveName: string, uuid: string, own: string) => [
  [name, undefined, undefined],
  [name, objectiveName, uuid],
  [name, objectiveName, uuid],
  ['Now', name],
  own,
];

onEachDatabase('cached matches show the present name of a merged player', async (t, url) => {
  const { context, get } = await testApi(t, url);
  const { db, clock } = context;
  const [from, into] = [person(1, 'Before'), person(2, 'Now')];
  const named = (name: string, ms: number) => event('player.named', { player: { ...into, name } }, { time: after(ms) });
  const objective = { player: from, team: 'Red', type: 'wool', name: 'x', time: BEGINNING } as const;
  const kills = [{ killer: into.uuid, victim: person(3).uuid, time: BEGINNING }];
  const teams = [{ name: 'Red', players: [into] }, team('Blue', 3)];
  const [, id, own] = await sendEvents(
    context,
    named('Now', 1),
    match({ teams, kills, objectives: [objective] }),
    match({ teams, kills }),
  );
  const paths = [`/v1/matches/${id}`, '/v1/matches?fields=teams,objectives', `/v1/matches/${id}?fields=objectives`];
  const texts = new Map<string, string>();
  const shown = async (): Promise<unknown[]> => {
    const found = [];
    for (const path of paths) {
      for (let time = 0; time < 3; time++) {
        const { json, text, headers } = await get(path);
        const one = Array.isArray(json) ? (json as { id: string }[]).find((each) => each.id === id)! : json;
        found[paths.indexOf(path)] = [
          one.teams[0].players[0].name,
          one.objectives?.[0].player,
          one.objectives?.[0].player_uuid,
        ];
        assert.equal(texts.get(headers.etag!) ?? text, text, 'every text has a tag of its own');
        texts.set(headers.etag!, text);
        assert.equal((await get(path, { headers: { 'if-none-match': headers.etag! } })).status, 304);
      }
    }
    const { kills: made } = (await get(`/v1/players/${into.uuid}?fields=kills`)).json as {
      kills: { killer: string }[];
    };
    const other = (await get(`/v1/matches/${own}`)).json;
    return [...found, made.map(({ killer }) => killer), other.teams[0].players[0].name];
  };
  assert.deepEqual(await shown(), everywhere('Now', 'Before', from.uuid, 'Now'));
  await sendEvents(context, event('player.merged', { from: from.uuid, into: into.uuid }));
  assert.deepEqual(await shown(), everywhere('Now', 'Now', into.uuid, 'Now'));
  const [rename] = await sendEvents(context, named('Later', 2));
  assert.deepEqual(await shown(), everywhere('Later', 'Later', into.uuid, 'Now'));
  await retractEvents(db, clock, [keyOf(rename!)!]);
  assert.deepEqual(await shown(), everywhere('Now', 'Now', into.uuid, 'Now'));
});

onEachDatabase('a change of credentials by another process takes effect within a second', async (t, url) => {
  const { context, get, app } = await testApi(t, url);
  const other = new OtherProcess(t, url);
  await other.ready();
  const token = await serviceToken(context, app.client_id);
  const look = () => get('/v1/servers', { token });
  for (let time = 0; time < 3; time++) assert.equal((await look()).status, 200);
  await other.do({ limit: [app.client_id, 12_345] });
  await within(1000, async () => (await look()).headers['x-ratelimit-limit'] === '12345');
  await other.do({ revoke: secretHash(token) });
  await within(1000, async () => (await look()).status === 401);
});

/** Repeats a condition until it is true, and fails after `ms` milliseconds. */
async function within(ms: number, condition: () => Promise<boolean>): Promise<void> {
  const started = performance.now();
  while (!(await condition())) {
    assert.ok(performance.now() - started < ms, `not true within ${ms} ms`);
    await pause(10);
  }
}

/** A connection that sends synchronously. */
async function openConnection(t: TestContext, origin: string) {
  const socket = connect(Number(new URL(origin).port), '127.0.0.1');
  t.after(() => socket.destroy());
  await once(socket, 'connect');
  // oxlint-disable-next-line no-underscore-dangle -- Node shows the descriptor nowhere else
  const { fd } = (socket as Socket & { _handle: { fd: number } })._handle;
  return {
    send: (text: string) => writeSync(fd, text),
    status: async () => Number(String((await once(socket, 'data'))[0]).slice(9, 12)),
  };
}

onSqlite(
  'a token that is revoked in a turn of the event loop is refused to a later request of the turn',
  async (t, url) => {
    const { context, origin, token, get } = await testApi(t, url);
    assert.equal((await get('/v1/matches')).status, 200, 'the token is cached');
    using other = new DatabaseSync(url);
    const [first, second] = [await openConnection(t, origin), await openConnection(t, origin)];
    const request = `GET /v1/matches HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n\r\n`;
    const versions = context.db.versions.bind(context.db);
    context.db.versions = () => {
      context.db.versions = versions;
      const result = versions();
      // While the first request is served, another process revokes the token, and then the second one arrives.
      process.nextTick(() => {
        other.prepare('delete from tokens where hash = ?').run(secretHash(token));
        second.send(request.slice(8));
        for (const start = performance.now(); performance.now() - start < 2;);
      });
      return result;
    };
    setImmediate(() => {
      first.send(request);
      // The loop reads this connection in the same turn, because a part of its request is there.
      second.send(request.slice(0, 8));
    });
    const statuses = await Promise.all([first.status(), second.status()]);
    assert.deepEqual(statuses, [200, 401]);
  },
);

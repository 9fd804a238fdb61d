import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openServices } from '#server/listeners.ts';
import { readConfig } from '#platform/config/config.ts';
import { openBenchClient } from '#bench/client.ts';
import { clientsOf, createServers } from '#bench/evening/clients.ts';
import { type EveningFigures, meetsTargets, latencyOf, medianOf } from '#bench/evening/figures.ts';
import { type Clients, planEvening, SERVERS } from '#bench/evening/plan.ts';
import { independent, periodic } from '#bench/evening/schedule.ts';
import { sendPlan } from '#bench/evening/send.ts';
import { generateDatabase } from '#bench/generated.ts';
import { BenchHistory } from '#bench/generated-history.ts';
import { median, percentile } from '#bench/statistics.ts';
import { openAppContext } from '#context/context.ts';
import { Random } from '#demo/network/random.ts';
import { createEmptyDatabase } from '#test/support/context.ts';

const SECRET_KEY = 'a secret that is long enough for tests';
const START = Date.parse('2026-03-01T20:00:00Z');

test('percentiles follow the nearest-rank method', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
  assert.deepEqual(
    [0, 0.5, 0.99, 1].map((fraction) => percentile(hundred, fraction)),
    [1, 50, 99, 100],
  );
  assert.equal(percentile([7], 0.99), 7);
  assert.equal(percentile([], 0.99), 0);
  assert.equal(median([10, 9, 100]), 10);
});

test('independent clients arrive at random with the given rate, a periodic client at its interval', () => {
  const times = independent(new Random('test'), 500, 60);
  assert.deepEqual(
    times,
    times.toSorted((a, b) => a - b),
  );
  assert.ok(times[0]! > 0 && times.at(-1)! < 60_000);
  assert.ok(Math.abs(times.length - 30_000) < 600, `${times.length}`);
  const gaps = times.slice(1).map((time, place) => time - times[place]!);
  // A share of exp(-1) of exponentially distributed gaps is longer than their mean of 2 ms.
  const long = gaps.filter((gap) => gap > 2).length / gaps.length;
  assert.ok(Math.abs(long - Math.exp(-1)) < 0.02, `${long}`);
  const beats = periodic(new Random('test'), 30, 90);
  assert.equal(beats.length, 3);
  assert.ok(beats[0]! >= 0 && beats[0]! < 30_000);
  assert.deepEqual(
    beats.map((beat) => Math.round(beat - beats[0]!)),
    [0, 30_000, 60_000],
  );
});

function clients(): Clients {
  return {
    api: () => ({ path: '/v1/matches' }),
    site: () => ({ path: '/' }),
    keys: Array.from({ length: SERVERS }, (_, number) => `key-${number}`),
    history: new BenchHistory('test', 0, 100),
  };
}

test('an evening has its documented traffic, sorted by time, and half of it at half the rate', () => {
  const plan = planEvening(clients(), 1, 360, START);
  assert.ok(plan.every(({ at }, place) => at < 360_000 && (place === 0 || at >= plan[place - 1]!.at)));
  const counts = countsOf(plan);
  assert.deepEqual(
    { presence: counts['server.presence'], matches: counts['match.finished'] },
    { presence: 12 * SERVERS, matches: SERVERS },
  );
  assert.deepEqual([counts['player.login'], counts['player.logout']], [3 * SERVERS, 3 * SERVERS]);
  assert.ok(Math.abs(counts['API']! - 500 * 360) < 2000 && Math.abs(counts['SITE']! - 10 * 360) < 300);
  const half = countsOf(planEvening(clients(), 0.5, 360, START));
  assert.equal(half['match.finished'], SERVERS / 2);
  assert.ok(Math.abs(half['API']! - 250 * 360) < 2000);
});

function countsOf(plan: ReturnType<typeof planEvening>): Record<string, number | undefined> {
  const kinds = plan.map(({ service, body }) => (service === 'INGEST' ? /"type":"([^"]*)/.exec(body!)![1]! : service));
  return Object.fromEntries([...Map.groupBy(kinds, (kind) => kind)].map(([kind, all]) => [kind, all.length]));
}

function run(p99: number, errors = 0): EveningFigures {
  const latency = { API: { p50: 1, p99 }, SITE: { p50: 1, p99: 50 }, INGEST: { p50: 1, p99: 100 } };
  return { rate: 1, latency, errors, cores: { service: 1, load: 0.2 } };
}

test('an evening meets its targets by the medians of its runs, and only without an error', () => {
  assert.ok(meetsTargets(medianOf([run(51), run(20), run(50)])));
  assert.ok(!meetsTargets(medianOf([run(51), run(20), run(60)])));
  assert.ok(!meetsTargets(medianOf([run(20), run(20, 1), run(20)])));
});

test('every request of an evening gets a response, and a wrong status or receipt counts as an error', async (t) => {
  const database = await createEmptyDatabase('sqlite');
  t.after(() => database.drop());
  const { url } = database;
  await generateDatabase({ matches: 30, seed: 'test', database: url, players: 40 }, () => undefined);
  const listens = Object.fromEntries(['API', 'SITE', 'INGEST'].map((name) => [`${name}_LISTEN`, '127.0.0.1:0']));
  await using context = await openAppContext(
    readConfig({ ...listens, SECRET_KEY, DATABASE_URL: url, LOG_LEVEL: 'silent' }),
  );
  await using services = await openServices(context, ['API', 'SITE', 'INGEST']);
  await using client = await openBenchClient(url, { SECRET_KEY });
  const keys = await createServers(url, 3);
  const found = await clientsOf(client, services.addresses.API!, keys);
  const plan = planEvening({ ...found, history: new BenchHistory('test', 0, 40) }, 0.01, 30, Date.now());
  const portOf = (service: 'API' | 'SITE' | 'INGEST'): number => Number(new URL(services.addresses[service]!).port);
  const ports = { API: portOf('API'), SITE: portOf('SITE'), INGEST: portOf('INGEST') };
  // All requests are due at the same time.
  const hurried = plan.map((one) => ({ ...one, at: 0 }));
  const sent = await sendPlan(hurried, ports);
  assert.deepEqual(
    Object.values(sent).flatMap(({ errors }) => errors),
    [],
  );
  assert.equal(
    Object.values(sent).reduce((sum, { times }) => sum + times.length, 0),
    plan.length,
  );
  assert.ok(latencyOf(sent).API.p99 >= latencyOf(sent).API.p50);
  const event = hurried.find(({ service }) => service === 'INGEST')!;
  const bad = [{ ...event }, { ...event, body: '{}' }, { ...event, path: '/nothing', service: 'SITE' as const }];
  const again = await sendPlan(bad, ports);
  assert.deepEqual([again.INGEST.errors.length, again.SITE.errors.length, again.API.errors.length], [2, 1, 0]);
});

test('latency counts from the planned time of a request, not from when it was sent', async () => {
  const late = { service: 'API' as const, at: -500, path: '/' };
  await using server = await answering();
  const { API } = await sendPlan([late], { API: server.port, SITE: 0, INGEST: 0 });
  assert.equal(API.errors.length, 0);
  assert.ok(API.times[0]! >= 500, `${API.times[0]}`);
});

async function answering(): Promise<AsyncDisposable & { port: number }> {
  const { createServer } = await import('node:http');
  const server = createServer((_request, response) => void response.end());
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as { port: number };
  return { port, [Symbol.asyncDispose]: async () => void server.close() };
}

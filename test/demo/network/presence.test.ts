import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readEvent } from '#events/schema/index.ts';
import { HOUR, MINUTE } from '#demo/network/calendar.ts';
import { sampleNetwork, type Sample } from '#demo/network/index.ts';
import { NOW, type OfType, SHORT, shortHistory } from './sample.ts';

type Heartbeat = OfType<'server.presence'>;

const heartbeats = (sample: Sample, time: number): Heartbeat[] => sample.presenceAt(time) as Heartbeat[];

function online(sample: Sample, time: number): Set<string> {
  return new Set(heartbeats(sample, time).flatMap(({ data }) => data.players));
}

test('every server has a valid heartbeat, and no player is on two servers', () => {
  const { sample } = shortHistory();
  const beats = heartbeats(sample, NOW + HOUR);
  assert.deepEqual(
    beats.map(({ server }) => server),
    sample.servers.map(({ name }) => name),
  );
  for (const beat of beats) assert.ok('event' in readEvent(beat), JSON.stringify(beat));
  const names = beats.flatMap(({ data }) => data.players);
  assert.equal(new Set(names).size, names.length);
  for (const { data } of beats) assert.ok(data.current <= data.players.length);
});

test('a running match has come as far as its time, and then has its result', () => {
  const { sample } = shortHistory();
  const evening = Date.parse('2026-03-05T20:00:00Z');
  const running = sample.runningAt(evening) as OfType<'match.progress'>[];
  assert.ok(running.length > 0);
  for (const { server, data } of running) {
    const beat = heartbeats(sample, evening).find((one) => one.server === server)!;
    assert.deepEqual([data.map, data.gamemode], [beat.data.current_map, beat.data.gamemode]);
    const listed = data.teams!.flatMap(({ players }) => players ?? []).length;
    assert.deepEqual([data.participants, beat.data.current], [listed, listed], 'the teams have those who play now');
    assert.equal(data.observers, beat.data.players.length - listed);
    const results = sample.resultsBetween(evening, evening + HOUR) as OfType<'match.finished'>[];
    const result = results.find((one) => one.server === server && one.data.started === data.started)!;
    assert.ok(result.data.objectives!.length >= data.objectives!.length);
  }
  for (const event of running) assert.ok('event' in readEvent(event), JSON.stringify(event));
});

test('the same time gives the same heartbeats', () => {
  const { sample } = shortHistory();
  const timestamp = NOW + 3 * HOUR;
  assert.deepEqual(sampleNetwork(SHORT).presenceAt(timestamp), sample.presenceAt(timestamp));
});

test('players join and leave a few at a time, also at midnight and at the end of the day', () => {
  const { sample } = shortHistory();
  let before = online(sample, NOW);
  let moved = 0;
  for (let minute = 1; minute <= 24 * 60; minute++) {
    const now = online(sample, NOW + minute * MINUTE);
    const changed = now.symmetricDifference(before).size;
    assert.ok(changed <= 8, `${changed} at once, ${minute} minutes on`);
    moved += changed;
    before = now;
  }
  assert.ok(moved > 200);
});

test('the evening has more players than the morning, and maps change when matches end', () => {
  const { sample } = shortHistory();
  const [evening, morning] = ['2026-03-05T20:00:00Z', '2026-03-05T06:30:00Z'].map((time) => Date.parse(time));
  assert.ok(online(sample, evening!).size > 2 * online(sample, morning!).size);
  const maps = new Set<string>();
  for (let minute = 0; minute < 180; minute++) {
    const lantern = heartbeats(sample, evening! + minute * MINUTE).find(({ server }) => server === 'Lantern')!;
    maps.add(lantern.data.current_map!);
    assert.notEqual(lantern.data.current_map, lantern.data.next_map);
  }
  assert.ok(maps.size >= 5, [...maps].join());
});

test('the announced next map is played next', () => {
  const { sample } = shortHistory();
  const evening = Date.parse('2026-03-05T19:00:00Z');
  const before = new Map<string, Heartbeat['data']>();
  let changes = 0;
  for (let minute = 0; minute < 120; minute++) {
    for (const { server, data } of heartbeats(sample, evening + minute * MINUTE)) {
      const { current_map, next_map } = before.get(server!) ?? data;
      before.set(server!, data);
      if (data.current_map === current_map) continue;
      assert.equal(data.current_map, next_map, server!);
      changes++;
    }
  }
  assert.ok(changes >= 10, String(changes));
});

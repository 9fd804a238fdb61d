import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type WireEvent, readEvent } from '#events/schema/index.ts';
import { MEMBER, OPERATOR, sampleNetwork } from '#demo/network/index.ts';
import { MODES } from '#demo/network/match/modes.ts';
import { NOW, ofType, SHORT, shortHistory } from './sample.ts';

test('the network has 8 servers in 3 regions, one of them a lobby, and every server with matches has a rotation', () => {
  const { sample, events } = shortHistory();
  assert.equal(sample.servers.length, 8);
  assert.equal(new Set(sample.servers.map(({ region }) => region)).size, 3);
  assert.deepEqual(
    sample.servers.filter(({ max }) => max === 0).map(({ name }) => name),
    ['Quay'],
  );
  const rotations = ofType(events, 'rotation.changed');
  assert.equal(rotations.length, sample.servers.filter(({ gamemodes }) => gamemodes.length > 0).length);
  const names = new Set(sample.maps.map(({ name }) => name));
  for (const { data } of rotations) assert.ok(data.maps.length > 3 && data.maps.every((name) => names.has(name)));
});

test('40 maps cover every gamemode, each played on a server that has the mode', () => {
  const { sample } = shortHistory();
  assert.equal(sample.maps.length, 40);
  assert.equal(new Set(sample.maps.map(({ name }) => name.toLowerCase())).size, 40);
  assert.deepEqual(new Set(sample.maps.flatMap(({ gamemodes }) => gamemodes)), new Set(Object.keys(MODES)));
  for (const map of sample.maps) {
    const servers = sample.servers.filter(({ name }) => map.servers.includes(name));
    assert.equal(servers.length, map.servers.length, `${map.name} names an unknown server`);
    for (const server of servers) assert.ok(map.gamemodes.some((mode) => server.gamemodes.includes(mode)));
  }
  assert.ok(sample.maps.some(({ authors }) => authors.some(({ uuid }) => uuid === '')));
});

test('600 players have valid names that are unique regardless of case', () => {
  const { players } = shortHistory().sample;
  assert.equal(players.length, 600);
  const names = players.flatMap(({ name, renamed }) => (renamed === undefined ? [name] : [name, renamed.name]));
  for (const name of names) assert.match(name, /^\.?\w{3,16}$/);
  assert.ok(names.every((name) => name.length <= 16));
  assert.equal(new Set(names.map((name) => name.toLowerCase())).size, names.length);
  assert.equal(new Set(players.map(({ uuid }) => uuid)).size, 600);
  assert.equal(players.filter(({ uuid }) => uuid[14] === '3').length, 4, 'offline-mode UUIDs');
  assert.equal(players.filter(({ name }) => name.startsWith('.')).length, 5, 'Bedrock players');
  assert.ok(players.filter(({ renamed }) => renamed !== undefined).length >= 5);
});

test('the demo accounts are players, and the member got the name by a rename', () => {
  const [operator, member] = shortHistory().sample.players;
  assert.deepEqual({ name: operator!.name, uuid: operator!.uuid }, OPERATOR);
  assert.deepEqual({ name: member!.renamed!.name, uuid: member!.uuid }, MEMBER);
});

test('the same seed and time give identical events; another seed gives different ones', () => {
  const first = JSON.stringify(shortHistory().events);
  assert.equal(JSON.stringify([...sampleNetwork(SHORT).events()]), first);
  const small = { now: NOW, matches: 5 };
  const seeds = ['a', 'b'].map((seed) => JSON.stringify([...sampleNetwork({ ...small, seed }).events()]));
  assert.notEqual(seeds[0], seeds[1]);
});

test('every event is valid, in the order of time, with a unique id', () => {
  const { events } = shortHistory();
  for (const event of events) {
    const read = readEvent(event);
    if ('problems' in read) assert.fail(`${event.id}: ${JSON.stringify(read.problems)}`);
    assert.ok(Date.parse(event.time) <= NOW);
  }
  const times = events.map(({ time }) => Date.parse(time));
  assert.ok(times.every((time, place) => place === 0 || time >= times[place - 1]!));
  assert.equal(new Set(events.map(({ id }) => id)).size, events.length);
});

test('events are generated lazily', () => {
  const sample = sampleNetwork(SHORT);
  let iterator!: Iterator<WireEvent>;
  // CPU time, because elapsed time depends on the load of the machine. Planning takes about as long as all matches.
  const first = cpuOf(() => {
    iterator = sample.events()[Symbol.iterator]();
    assert.equal(iterator.next().value!.type, 'server.configured');
  });
  const others = cpuOf(() => {
    while (iterator.next().done !== true);
  });
  assert.ok(others > first / 4, `${first} µs for the first event, ${others} for all others`);
});

function cpuOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

test('the time zone moves the matches', () => {
  const options = { seed: 'test', now: NOW, matches: 3 };
  const [tokyo, lima] = ['Asia/Tokyo', 'America/Lima'].map((zone) => [...sampleNetwork({ ...options, zone }).events()]);
  assert.notDeepEqual(
    ofType(tokyo!, 'match.finished').map(({ data }) => data.started),
    ofType(lima!, 'match.finished').map(({ data }) => data.started),
  );
});

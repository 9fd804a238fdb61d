import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MAX_GROUP_WEIGHT } from '#events/ingest/event-queue.ts';
import { FairGroups, SENDER_SHARE } from '#events/ingest/fair-groups.ts';
import { type Item, prepareItem, totalWeight } from '#events/ingest/prepare.ts';
import { secretHash } from '#platform/crypto/secrets.ts';
import { BEGINNING, login, match, person, team } from '#test/support/builders.ts';

interface Request {
  name: string;
  item: Item[];
}

const NOW = Date.parse(BEGINNING);
const numbers = (count: number): number[] => Array.from({ length: count }, (_, number) => number);

function requestOf(server: string, input: unknown, name = server): Request {
  const sender = { kind: 'server', serverKey: server.charCodeAt(0), serverName: server, credential: 1 } as const;
  return { name, item: [prepareItem({ input }, sender, NOW, secretHash)] };
}

const small = (server: string, name?: string): Request => requestOf(server, login(server, person(1)), name);
const huge = (server: string, name?: string): Request =>
  requestOf(server, match({ teams: [team('Red', ...numbers(1_000))] }, { server }), name);
/** A request with the least possible work for the test, whose weight is given. */
function weighing(server: string, weight: number): Request {
  const request = small(server);
  const [{ sender, checked }] = request.item as [Item];
  assert.ok('event' in checked);
  return { ...request, item: [{ sender, checked: { ...checked, weight } }] };
}

/** The transactions that store the requests if nothing else arrives. */
function groupsOf(requests: readonly Request[], groups = new FairGroups()): Request[][] {
  const result: Request[][] = [];
  for (let waiting = requests; waiting.length > 0;) {
    const group = groups.next(waiting);
    result.push(group);
    waiting = waiting.filter((request) => !group.includes(request));
  }
  return result;
}

const namesOf = (groups: readonly Request[][]): string[][] => groups.map((group) => group.map(({ name }) => name));

test('a match of 1,000 players shares no transaction with other servers, and delays them by one at most', () => {
  const groups = new FairGroups();
  const waiting = [huge('A', 'A1'), huge('A', 'A2'), small('B'), small('C')];
  assert.deepEqual(namesOf(groupsOf(waiting, groups)), [['B', 'C'], ['A1'], ['A2']]);
  const [first] = groups.next([huge('A', 'A3'), small('B')]);
  assert.equal(first?.name, 'B');
  const [second] = groups.next([huge('A', 'A3'), small('B')]);
  assert.equal(second?.name, 'A3', 'light requests that keep arriving do not delay it for ever');
  const [third] = groups.next([huge('A', 'A4'), small('B')]);
  assert.equal(third?.name, 'B');
});

test('of a server that sends much, a shared transaction stores its share', () => {
  const many = numbers(8).map(() => weighing('A', SENDER_SHARE / 2));
  const groups = namesOf(groupsOf([...many, small('B')]));
  assert.deepEqual(groups, [
    ['A', 'A', 'B'],
    ['A', 'A', 'A', 'A', 'A', 'A'],
  ]);
  assert.deepEqual(namesOf(groupsOf(many)), [many.map(() => 'A')], 'alone it has whole transactions');
});

test('the requests of a server stay in their order', () => {
  const waiting = [small('A', 'A1'), huge('A', 'A2'), small('A', 'A3'), small('B', 'B1')];
  assert.deepEqual(namesOf(groupsOf(waiting)), [
    ['A1', 'B1'],
    ['A2', 'A3'],
  ]);
});

test('every request is stored once, in the order of its server, within the limits of a transaction', () => {
  const request = fc.tuple(fc.constantFrom('A', 'B', 'C'), fc.constantFrom(1, 100, SENDER_SHARE, 600, 3_000));
  fc.assert(
    fc.property(fc.array(request, { minLength: 1, maxLength: 30 }), (drawn) => {
      const requests = drawn.map(([server, weight]) => weighing(server, weight));
      const groups = groupsOf(requests);
      const stored = groups.flat();
      assert.equal(stored.length, requests.length);
      for (const server of ['A', 'B', 'C']) {
        const ofServer = (all: readonly Request[]): Request[] => all.filter(({ name }) => name === server);
        assert.deepEqual(ofServer(stored), ofServer(requests));
      }
      for (const group of groups) {
        const weight = totalWeight(group.flatMap(({ item }) => item));
        assert.ok(group.length === 1 || weight <= MAX_GROUP_WEIGHT);
        if (new Set(group.map(({ name }) => name)).size === 1) continue;
        for (const [, own] of Map.groupBy(group, ({ name }) => name))
          assert.ok(totalWeight(own.flatMap(({ item }) => item)) <= SENDER_SHARE);
      }
    }),
    { numRuns: 200 },
  );
});

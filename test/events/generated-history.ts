import fc from 'fast-check';
import type { WireEvent } from '#events/schema/index.ts';
import type { Sender } from '#events/ledger/receipts.ts';
import { configured, event, person } from '#test/support/builders.ts';

/**
 * Arbitraries for short random histories of events. They draw from few players, maps and timestamps, so that events often
 * concern the same player, contradict each other or have the same time.
 */

export interface GeneratedEvent {
  sender: 'operator' | number;
  event: WireEvent;
}

export const SERVERS = ['Alpha', 'Beta', 'Gamma'];
const BEGAN = Date.parse('2026-02-01T00:00:00Z');
const PNG = ['iVBORw0KGgoAAAAA', 'iVBORw0KGgoAAAAB'];

export const beginnings: WireEvent[] = [
  ...SERVERS.map((name, place) => ({ ...configured(name), id: `begin ${place}` })),
  event('counter.declared', { key: 'pieces', label: { en: 'Pieces' } }, { id: 'begin pieces' }),
  event(
    'counter.declared',
    { key: 'streak', label: { en: 'Best streak' }, aggregate: 'max', modes: ['ctw', 'teampvp', 'factions'] },
    { id: 'begin streak' },
  ),
];

export const timestamp = fc.nat(12).map((second) => new Date(BEGAN + second * 1000).toISOString());
const nameOf = (number: number) =>
  fc.constantFrom(`Player${number}`, `player${number}`, `Other${number}`, 'Shared').map((name) => person(number, name));
export const player = fc.nat(4).chain(nameOf);
const small = fc.nat(3);
const mapName = fc.constantFrom('Isle', 'isle', 'Ruins');

type NameOf = (number: number) => fc.Arbitrary<{ uuid: string; name: string }>;

/** Values of declared counters and of an unknown one; often none. */
const counters = fc.oneof(
  fc.constant({}),
  fc
    .record({ pieces: fc.nat(3), streak: fc.nat(4), unknown: fc.nat(1) }, { requiredKeys: [] })
    .map((values) => ({ counters: values })),
);

const matchPlayers = (named: NameOf) =>
  fc
    .uniqueArray(fc.nat(4), { maxLength: 4 })
    .chain((numbers) =>
      fc.tuple(
        ...numbers.map((number) => fc.record({ player: named(number), kills: small, time: small, own: counters })),
      ),
    );

const objective = fc.record({
  player: fc.option(player),
  team: fc.constant('Red'),
  type: fc.constantFrom('wool', 'core', 'destroyable', 'other'),
  name: fc.constant('x'),
  time: timestamp,
});

const matchOf = (named: NameOf, mostObjectives: number) =>
  fc
    .record({
      players: matchPlayers(named),
      map: mapName,
      gamemode: fc.constantFrom('ctw', 'tdm', 'dtc', 'bowspleef', 'splatt'),
      win: fc.constantFrom('', 'Red', 'Blue'),
      finished: timestamp,
      objectives: fc.array(objective, { maxLength: mostObjectives }),
    })
    .map(({ players, finished, ...facts }) => {
      const played = players.map(({ player: { uuid, name }, kills, time, own }) => ({
        uuid,
        name,
        score: kills - time,
        kill_count: kills,
        shot_count: time,
        paint_count: kills,
        time_played: time,
        ...own,
      }));
      const teams = [
        { name: 'Red', players: [...played.filter((_, place) => place % 2 === 0), ...changedSides(played[1])] },
        { name: 'Blue', players: played.filter((_, place) => place % 2 === 1) },
      ];
      const [first, second] = played;
      const kills =
        first === undefined || second === undefined
          ? []
          : [
              { killer: first.uuid, victim: second.uuid, location: { x: 1, y: 64.5, z: -3 }, time: finished },
              { killer: null, victim: first.uuid, time: finished },
            ];
      const data = { ...facts, teams, kills, started: new Date(BEGAN).toISOString(), finished };
      return event('match.finished', data as Parameters<typeof event<'match.finished'>>[1]);
    });

/** A player who was in another team before. */
const changedSides = <P extends { kill_count: number }>(played: P | undefined): (P & { primary: false })[] =>
  played === undefined || played.kill_count !== 1 ? [] : [{ ...played, primary: false }];

const match = matchOf(nameOf, 2);

const published = fc.record({
  name: mapName,
  version: fc.constantFrom('1', '2'),
  objective: fc.constantFrom('', 'Win'),
  gamemodes: fc.constantFrom<string[]>([], ['ctw'], ['tdm', 'ctw']),
  image: fc.option(
    fc.constantFrom(...PNG).map((data) => ({ content_type: 'image/png' as const, data })),
    { nil: undefined },
  ),
});
const rated = fc.record(
  { map: mapName, player, rate: fc.integer({ min: 1, max: 5 }), version: fc.constantFrom('1', '2') },
  { requiredKeys: ['map', 'player', 'rate'] },
);
const reference = fc.constantFrom('p1', 'p2');
const issued = fc.record({ punishment: reference, punished: player, type: fc.constantFrom('ban', 'mute') });
/** Mostly a punishment of the sender, sometimes one of another server or of the operator. */
const target = fc.record(
  { punishment: reference, server: fc.constantFrom('Alpha', 'beta', '') },
  { requiredKeys: ['punishment'] },
);
const changed = fc
  .record({ target, reason: fc.constantFrom('a', 'b') })
  .map(({ target: named, reason }) => ({ ...named, reason }));
const revoked = fc
  .record({ target, revoker: fc.option(player) })
  .map(({ target: named, revoker }) => ({ ...named, revoker }));
const statisticsWithout = fc.record({
  player: fc.oneof(
    player,
    player.map(({ uuid }) => ({ uuid })),
  ),
  gamemode: fc.constant('factions' as const),
  kill_count: small,
  power: small,
  faction: fc.constantFrom('', 'Foxes'),
});
const statistics = fc.tuple(statisticsWithout, counters).map(([data, own]) => ({ ...data, ...own }));

/** An event of any type that a server may send, without its id, time and server. */
const wire = fc.oneof(
  { arbitrary: match, weight: 4 },
  { arbitrary: player.map((who) => event('player.login', { player: who })), weight: 2 },
  { arbitrary: player.map((who) => event('player.logout', { player: who })), weight: 2 },
  { arbitrary: published.map((data) => event('map.published', data)), weight: 3 },
  { arbitrary: rated.map((data) => event('map.rated', data)), weight: 3 },
  { arbitrary: fc.array(mapName, { maxLength: 3 }).map((maps) => event('rotation.changed', { maps })), weight: 1 },
  { arbitrary: issued.map((data) => event('punishment.issued', data)), weight: 2 },
  { arbitrary: changed.map((data) => event('punishment.changed', data)), weight: 1 },
  { arbitrary: revoked.map((data) => event('punishment.revoked', data)), weight: 1 },
  { arbitrary: statistics.map((data) => event('player.statistics', data)), weight: 2 },
);

const NETWORK = new Set([
  'map.published',
  'map.rated',
  'punishment.issued',
  'punishment.changed',
  'punishment.revoked',
]);

/** Mostly matches of players who never change their names; one event in ten is of another type. */
export const mostlyMatches = fc.oneof(
  { arbitrary: matchOf((number) => fc.constant(person(number)), 0), weight: 9 },
  { arbitrary: wire, weight: 1 },
);

/** Events of several senders, in the order in which they are sent. */
export const historyOf = (minLength: number, maxLength: number, received = wire): fc.Arbitrary<GeneratedEvent[]> =>
  fc
    .array(fc.record({ received, time: timestamp, sender: fc.nat(SERVERS.length) }), { minLength, maxLength })
    .map((events) =>
      events.map(({ received, time, sender }, place): GeneratedEvent => {
        const own = { ...received, id: `e${String(place).padStart(2, '0')}`, time } as WireEvent;
        if (sender < SERVERS.length) return { sender, event: own };
        return { sender: 'operator', event: NETWORK.has(own.type) ? own : { ...own, server: SERVERS[0]! } };
      }),
    );

export const arbitraryHistory = historyOf(1, 25);

/** The key with which all servers send. */
export const CREDENTIAL = 1;

/** The sender of a generated event, given the keys of the servers. */
export function senderOf(sender: GeneratedEvent['sender'], serverKeys: number[]): Sender {
  if (sender === 'operator') return { kind: 'operator' };
  return { kind: 'server', serverKey: serverKeys[sender]!, serverName: SERVERS[sender]!, credential: CREDENTIAL };
}

/** An event of the operator that merges two players of the generated histories. */
export const merge: GeneratedEvent = {
  sender: 'operator',
  event: event(
    'player.merged',
    { from: person(0).uuid, into: person(1).uuid },
    { id: 'merge', time: '2026-02-01T00:00:00Z' },
  ),
};

import type { WireEvent } from '#events/schema/index.ts';
import { loginsAndLogouts } from './people/logins.ts';
import { factionReports } from './factions.ts';
import { playMatch } from './match/match.ts';
import type { SampleMap } from './maps.ts';
import { Network } from './network.ts';
import type { Player } from './people/players.ts';
import { mergeEvents } from './people/merge.ts';
import { onlineBetween } from './people/online.ts';
import { Presence } from './people/presence.ts';
import { newVersions, openingEvents, versionAt } from './publishing.ts';
import { Queue } from './event-queue.ts';
import { Ratings } from './ratings.ts';
import { GeneratedHistory } from './history.ts';
import { sentenceEvents } from './people/punishment-events.ts';
import { SERVERS, type Server, ZONE } from './servers.ts';

export { MEMBER, OPERATOR } from './people/players.ts';
export { NETWORK, ZONE } from './servers.ts';

export interface SampleOptions {
  seed: string;
  /** The end of the history, in epoch milliseconds. */
  now: number;
  /** The number of matches in the history. */
  matches?: number;
  /** The time zone whose evenings are busy. */
  zone?: string;
}

export interface Sample {
  readonly servers: readonly Server[];
  readonly players: readonly Player[];
  readonly maps: readonly SampleMap[];
  /** All events of the history, in the order of time. The same options give the same events. */
  events(): Iterable<WireEvent>;
  /** The heartbeats of all servers at a time within the history or after it. */
  presenceAt(time: number): WireEvent[];
  /** The matches that run at a time, with their progress. */
  runningAt(time: number): WireEvent[];
  /** The results of the matches that end after `from`, until `to`. */
  resultsBetween(from: number, to: number): WireEvent[];
  /** The number of players online at each minute. */
  onlineBetween(from: number, to: number): { time: number; count: number }[];
}

/** An invented network with its history: servers, maps, players and events. */
export function sampleNetwork({ seed, now, matches = 5000, zone = ZONE }: SampleOptions): Sample {
  const network = new Network(seed, zone);
  const history = new GeneratedHistory(network, now, matches);
  const presence = new Presence(network, history.bars, history.naming);
  return {
    servers: SERVERS,
    players: network.players,
    maps: network.maps,
    events: () => generateEvents(history),
    presenceAt: (time) => presence.at(time),
    runningAt: (time) => presence.runningAt(time),
    resultsBetween: (from, to) => presence.resultsBetween(from, to),
    onlineBetween: (from, to) => onlineBetween(history, from, to),
  };
}

function* generateEvents(history: GeneratedHistory): Generator<WireEvent> {
  const { days, fixtures, opening } = history.play();
  const queue = new Queue([
    ...openingEvents(history, opening),
    ...loginsAndLogouts(history, opening, days),
    ...factionReports(history, opening, days),
    ...newVersions(history),
    ...sentenceEvents(history),
    ...mergeEvents(history),
  ]);
  const ratings = new Ratings(history.network.seed, history.naming);
  for (const fixture of fixtures) {
    yield* queue.until(fixture.finished);
    yield playMatch(history.network.seed, fixture, history.naming);
    for (const vote of ratings.after(fixture, versionAt(history, fixture.map, fixture.finished))) queue.add(vote);
  }
  yield* queue.until(Infinity);
}

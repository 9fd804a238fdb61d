import { DAY } from './calendar.ts';
import type { Bars, Day, Network } from './network.ts';
import { barsOfMerged } from './people/merge.ts';
import type { Player } from './people/players.ts';
import { type Sentence, barsOf, sentencesOf } from './people/punishments.ts';
import type { Fixture } from './schedule.ts';
import type { Session } from './people/sessions.ts';

const MATCHES_A_DAY = 105;
const QUIET = 2 * 60_000;
const LEAD_IN = 3 * DAY;

/** The history of the network up to `now`: a given number of matches, and the events around them. */
export class GeneratedHistory {
  readonly network: Network;
  readonly now: number;
  /** The approximate start. Times within the history are given as fractions of the span from here to now. */
  readonly begin: number;
  readonly sentences: readonly Sentence[];
  readonly bars: Bars;
  readonly #matches: number;
  readonly #renames: ReadonlyMap<Player, number>;

  constructor(network: Network, now: number, matches: number) {
    this.network = network;
    this.now = now;
    this.#matches = matches;
    this.begin = now - (matches / MATCHES_A_DAY) * DAY;
    this.sentences = sentencesOf(network, this.begin, now);
    const [banned, otherAccount] = [barsOf(this.sentences), barsOfMerged(this.at)];
    this.bars = (player, time) => banned(player, time) || otherAccount(player, time);
    this.#renames = this.#findRenames();
  }

  /** The days of the history in order, its matches in the order of their end, and the time of its first events. */
  play(): { days: Day[]; fixtures: Fixture[]; opening: number } {
    const days: Day[] = [];
    let fixtures: Fixture[] = [];
    for (let day = this.network.dayOf(this.now); fixtures.length < this.#matches; day--) {
      days.unshift(this.network.day(day, this.bars));
      fixtures = [...createFixtures(days[0]!, this.now - QUIET), ...fixtures];
    }
    fixtures = fixtures.slice(-this.#matches);
    return { days, fixtures, opening: Math.min(this.begin, fixtures[0]?.started ?? this.now) - LEAD_IN };
  }

  /** The timestamp at a fraction (0 to 1) of the history. */
  at = (fraction: number): number => Math.floor(this.begin + fraction * (this.now - this.begin));

  naming = (player: Player, time: number): string => {
    const since = this.#renames.get(player);
    return since !== undefined && time >= since ? player.renamed!.name : player.name;
  };

  /** The players who changed their name, with the start of their first session under the new name. */
  get renames(): ReadonlyMap<Player, number> {
    return this.#renames;
  }

  #findRenames(): Map<Player, number> {
    const renamed = this.network.players.filter((player) => player.renamed !== undefined);
    return new Map(
      renamed.map((player) => [
        player,
        this.#sessionAfter(player, this.at(player.renamed!.at))?.from ?? this.at(player.renamed!.at),
      ]),
    );
  }

  #sessionAfter(player: Player, time: number): Session | undefined {
    for (let day = this.network.dayOf(time); day <= this.network.dayOf(this.now); day++) {
      const session = this.network
        .sessions(day)
        .find((other) => other.player === player && other.from >= time && other.from < this.now);
      if (session !== undefined) return session;
    }
    return undefined;
  }
}

function createFixtures(day: Day, before: number): Fixture[] {
  return day.programmes
    .flatMap(({ fixtures }) => fixtures)
    .filter(({ finished }) => finished <= before)
    .sort((a, b) => a.finished - b.finished);
}

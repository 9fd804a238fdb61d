import type { Timed } from './event-queue.ts';
import { timestampOf } from './match/match.ts';
import type { SampleMap } from './maps.ts';
import type { Player } from './people/players.ts';
import { Random } from './random.ts';
import type { Fixture } from './schedule.ts';
import type { Naming } from './match/teams.ts';

const CHANCE = 0.07;

/** Votes after matches: each player rates a map version at most once, by its quality and the player's leniency. */
export class Ratings {
  readonly #seed: string;
  readonly #naming: Naming;
  readonly #rated = new Set<string>();

  constructor(seed: string, naming: Naming) {
    this.#seed = seed;
    this.#naming = naming;
  }

  after(fixture: Fixture, version: string): Timed[] {
    const random = new Random(this.#seed, 'ratings', fixture.id);
    return fixture.stays
      .filter(
        ({ player, to }) =>
          random.chance(CHANCE) && to > fixture.finished && this.#isFirst(player, fixture.map, version),
      )
      .map(({ player }) => this.#vote(random, player, fixture, version));
  }

  #isFirst(player: Player, map: SampleMap, version: string): boolean {
    const key = `${player.number} ${map.number} ${version}`;
    const first = !this.#rated.has(key);
    this.#rated.add(key);
    return first;
  }

  #vote(random: Random, player: Player, fixture: Fixture, version: string): Timed {
    const time = Math.floor(fixture.finished + random.between(4000, 60_000));
    const opinion = fixture.map.quality + player.leniency + 0.85 * random.normal();
    return {
      time,
      event: {
        version: 1,
        id: `rating-${fixture.id}-${player.number}`,
        type: 'map.rated',
        time: timestampOf(time),
        server: fixture.server.name,
        data: {
          map: fixture.map.name,
          version,
          player: { uuid: player.uuid, name: this.#naming(player, time) },
          rate: Math.min(5, Math.max(1, Math.round(opinion))),
        },
      },
    };
  }
}

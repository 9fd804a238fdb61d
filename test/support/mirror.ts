import { bucketsIn } from '#store/game/time-buckets.ts';
import assert from 'node:assert/strict';
import type { AppContext } from '#context/context.ts';
import type { Db } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { type Deps, RenderedBody } from '#api/endpoint.ts';
import { ENDPOINTS } from '#api/index.ts';
import { timestampsIn } from '#http/timestamps.ts';
import { matchWithTeams } from '#store/game/matches.ts';
import { isHidden } from '#store/game/hidden-lists.ts';
import { idOf } from '#platform/ids.ts';
import { CHANGE_TYPES, type Change, changesWithFeed, type ResourceKind } from '#store/game/changes.ts';

/** Making them takes longer than reading a resource. */
const [TIMESTAMP, BUCKETS] = [timestampsIn('UTC'), bucketsIn('UTC')];

type Json = Record<string, unknown>;
type World = Pick<AppContext, 'db' | 'clock'>;

interface Mirrored {
  /** The keys of all resources. */
  keys: (db: Db) => Promise<unknown[][]>;
  /** The own JSON of a resource, without what is no change: statistics, votes and presence. */
  own: (json: Json, db: Db) => Json | Promise<Json>;
  fields: readonly string[];
}

const KINDS: Record<ResourceKind, Mirrored> = {
  match: {
    keys: (db) => db.tuples(sql`select match_key from match_details`),
    own: (json) => json,
    fields: ['teams', 'objectives', 'winners', 'team_colors'],
  },
  map: {
    keys: (db) => db.tuples(sql`select key from maps`),
    own: ({ rates: _rates, rotations: _rotations, ...json }) => json,
    fields: ['image_url'],
  },
  punishment: {
    keys: (db) => db.tuples(sql`select key from punishments`),
    own: ({ state: _state, ...json }) => json,
    fields: ['expires', 'revocation'],
  },
  player: {
    // A player with a pseudonym is erased.
    keys: (db) => db.tuples(sql`select key from players where name not like 'deleted-%'`),
    own: async ({ id, name, uuid, permalink_url }, db) => {
      return { id, name, uuid, permalink_url, isHidden: await isHidden(db, uuid as string) };
    },
    fields: [],
  },
  server: {
    keys: (db) => db.tuples(sql`select key from servers where removed is null`),
    own: ({ id, name, region, max, icon, order }) => ({ id, name, region, max, icon, order }),
    fields: [],
  },
};

/** A copy of all public resources that follows the feed, and can be compared with what `/v1` says of all of them. */
export class Mirror {
  readonly #world: World;
  readonly #copies = new Map<string, Json>();
  #after = 0;

  constructor(world: World) {
    this.#world = world;
  }

  /** Begins again with an empty copy, as a follower of a database that was emptied. */
  reset(): void {
    this.#copies.clear();
    this.#after = 0;
  }

  /** Reads the changes since the last call. */
  async follow(): Promise<Change[]> {
    const changes = (await changesWithFeed(this.#world.db, this.#after, 10_000)).changes;
    for (const { number, kind, key, type } of changes) {
      this.#after = number;
      if (CHANGE_TYPES[type].removes) this.#copies.delete(`${kind} ${key}`);
      else this.#copies.set(`${kind} ${key}`, await this.#read(kind, key));
    }
    return changes;
  }

  /** Follows the feed and fails if the copy differs from the resources. @returns the changes */
  async check(message: string): Promise<Change[]> {
    const changes = await this.follow();
    const present = new Map<string, Json>();
    for (const [kind, { keys }] of Object.entries(KINDS) as [ResourceKind, Mirrored][]) {
      for (const [key] of await keys(this.#world.db))
        present.set(`${kind} ${key as number}`, await this.#read(kind, key as number));
    }
    const sorted = (all: ReadonlyMap<string, Json>) =>
      Object.fromEntries([...all].toSorted(([a], [b]) => (a < b ? -1 : 1)));
    assert.deepEqual(sorted(this.#copies), sorted(present), message);
    return changes;
  }

  async #read(kind: ResourceKind, key: number): Promise<Json> {
    const { db, clock } = this.#world;
    // What the endpoints of single resources use.
    const deps: Partial<Deps> = {
      ...{ db, clock, timestamp: TIMESTAMP, site: '', presenceTimeoutMs: 60_000 },
      bucketsAt: BUCKETS,
      match: (match) => matchWithTeams(db, match),
    };
    const { own, fields } = KINDS[kind];
    const endpoint = ENDPOINTS.find(({ path }) => path === `/v1/${kind === 'match' ? 'matche' : kind}s/:id`)!;
    const caller = { kind: 'server', serverKey: 0 } as never;
    const query = { fields: new Set(fields) };
    const id = idOf(key);
    const context = { deps: deps as Deps, caller, parameters: [id], id, query: query as never, dataVersion: undefined };
    const body = await endpoint.handle({ ...context, accept: '', lastEventId: '', isPaced: false, about: new Set() });
    const json = body instanceof RenderedBody ? JSON.parse([body.json].flat().join('')) : structuredClone(body);
    return await own(json as Json, db);
  }
}

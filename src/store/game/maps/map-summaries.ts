import { nameKey } from '#text/text.ts';
import { json, type Queryable, rowReader } from '#db/db.ts';
import { list, sql } from '#db/sql.ts';
import type { MapTeam } from './maps.ts';

/** The data of a map that pages show wherever they mention it. */
export interface MapSummary {
  key: number;
  name: string;
  /** The hash of its image; null if it has none. */
  image: string | null;
  teams: MapTeam[];
}

/** The summaries of maps that pages mention by name. */
class MapSummaries {
  readonly #byName = new Map<string, MapSummary>();
  readonly #byNameKey = new Map<string, MapSummary>();

  /** @param summaries in the order of their keys */
  constructor(summaries: readonly MapSummary[]) {
    for (const summary of summaries) {
      this.#byName.set(summary.name, summary);
      this.#byNameKey.set(nameKey(summary.name), summary);
    }
  }

  /** The map with exactly this name, else the newest with this name in any case; undefined if there is none. */
  of(name: string): MapSummary | undefined {
    return this.#byName.get(name) ?? this.#byNameKey.get(nameKey(name));
  }
}

/** The summaries of the maps with one of these names, in any case. */
export async function mapSummaries(db: Queryable, names: readonly string[]): Promise<MapSummaries> {
  const keys = [...new Set(names.filter((name) => name !== '').map(nameKey))];
  if (keys.length === 0) return new MapSummaries([]);
  const rows = await db.all(sql`
    select m.key, m.name, m.teams, i.hash as image from maps m left join map_images i on i.map_key = m.key
    where m.name_key in (${list(keys)}) order by m.key`);
  return new MapSummaries(rows.map(rowReader<MapSummary>({ teams: json })));
}

import { nameKey } from '#platform/text.ts';
import type { Queryable } from '#db/db.ts';
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

/** Map summaries by name key; the newest of several maps with one name key. Unknown maps are absent. */
export async function mapSummaries(db: Queryable, names: readonly string[]): Promise<Map<string, MapSummary>> {
  const keys = [...new Set(names.filter((name) => name !== '').map(nameKey))];
  if (keys.length === 0) return new Map();
  const rows = await db.all<Omit<MapSummary, 'teams'> & { name_key: string; teams: string }>(sql`
    select m.name_key, m.key, m.name, m.teams, i.hash as image from maps m left join map_images i on i.map_key = m.key
    where m.name_key in (${list(keys)}) order by m.key`);
  return new Map(
    rows.map(({ name_key, teams, ...summary }) => [name_key, { ...summary, teams: JSON.parse(teams) as MapTeam[] }]),
  );
}

import { nameKey } from '#platform/text.ts';
import type { Queryable } from '#db/db.ts';
import { list, sql } from '#db/sql.ts';
import type { MapTeam } from './maps.ts';

/** What of a map is shown wherever it is named. */
export interface MapSummary {
  key: number;
  name: string;
  /** The hash of its picture; null where it has none. */
  image: string | null;
  teams: MapTeam[];
}

/** The signs of maps by their name keys; of several with one key the newest. Unknown maps are absent. */
export async function mapSummaries(db: Queryable, names: readonly string[]): Promise<Map<string, MapSummary>> {
  const keys = [...new Set(names.filter((name) => name !== '').map(nameKey))];
  if (keys.length === 0) return new Map();
  const rows = await db.all<Omit<MapSummary, 'teams'> & { name_key: string; teams: string }>(sql`
    select m.name_key, m.key, m.name, m.teams, i.hash as image from maps m left join map_images i on i.map_key = m.key
    where m.name_key in (${list(keys)}) order by m.key`);
  return new Map(
    rows.map(({ name_key, teams, ...sign }) => [name_key, { ...sign, teams: JSON.parse(teams) as MapTeam[] }]),
  );
}

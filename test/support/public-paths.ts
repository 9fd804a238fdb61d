import { ENDPOINTS } from '#api/index.ts';
import type { AppContext } from '#context/context.ts';
import { identifier, sql } from '#db/sql.ts';
import { idOf } from '#platform/ids.ts';
import { MODES } from '#store/game/leaderboards/leaderboards.ts';

/** Addresses of all answers of the data API and of the public pages, of all resources, of some people and of a search. */
export async function publicPaths(
  { db }: Pick<AppContext, 'db'>,
  { api, site }: { api: string; site: string },
  people: readonly { uuid: string }[],
  word: string,
): Promise<string[]> {
  const paths = ENDPOINTS.map(({ path }) => path).filter((path) => !path.endsWith('/stream'));
  const found = paths.filter((path) => !path.includes(':')).map((path) => `${api}${path}`);
  const pages = ['', 'matches', 'matches.atom', 'maps', 'leaderboards', 'players', 'punishments', 'punishments.atom'];
  found.push(...pages.map((page) => `${site}/${page}`), `${site}/search?q=${word}`);
  found.push(`${site}/matches?team=Red&team=Blue`, `${api}/v1/matches?team=Red&team=Blue&fields=teams`);
  found.push(`${api}/v1/changes?expand=1&limit=1000`, `${api}/v1/matches?fields=teams,objectives,winners,counters`);
  found.push(...MODES.map((mode) => `${api}/v1/leaderboards/${mode}/all`), `${api}/v1/players?search=${word}`);
  for (const kind of ['servers', 'matches', 'maps', 'punishments', 'players']) {
    for (const [key] of await db.tuples(sql`select key from ${identifier(kind)}`)) {
      const id = idOf(key as number);
      const own = paths.filter((path) => path.startsWith(`/v1/${kind}/:id`)).map((path) => path.replace(':id', id));
      found.push(`${site}/${kind}/${id}`, ...own.map((path) => `${api}${path}`));
      if (kind === 'matches')
        found.push(`${api}/v1/matches/${id}?fields=objectives,winners`, `${site}/cards/matches/${id}.png`);
      if (kind === 'players') found.push(`${api}/v1/players/${id}?fields=names,counters,ctw,kills,matches,teampvp`);
    }
  }
  for (const { uuid } of people) found.push(`${site}/players/${uuid}`, `${site}/players/${uuid}/matches`);
  return found;
}

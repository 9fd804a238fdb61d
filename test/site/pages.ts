import type { Db } from '#db/db.ts';
import { idOf } from '#platform/ids.ts';
import { periodStart } from '#store/game/time-buckets.ts';
import { type Sql, sql } from '#db/sql.ts';

/** A page with a name for test reports and screenshots. */
export interface SitePage {
  name: string;
  path: string;
  /** The status of a page that shows an error on purpose. */
  error?: number;
}

/**
 * One page of every kind, each about the entity with the most content. Pages whose entity does not exist in the database are
 * left out.
 */
export async function everyPage(db: Db): Promise<SitePage[]> {
  const value = async (query: Sql): Promise<string | undefined> => (await db.tuples(query))[0]?.[0]?.toString();
  const id = async (query: Sql): Promise<string | undefined> => {
    const key = await value(query);
    return key === undefined ? undefined : idOf(Number(key));
  };
  const newest = sql`(select match_key, objectives from match_details order by match_key desc limit 500) d`;
  const match = await id(sql`select match_key from ${newest} order by length(objectives) desc, match_key desc limit 1`);
  const plain = await id(sql`select match_key from ${newest} order by length(objectives), match_key desc limit 1`);
  const alone = await id(sql`
    select d.match_key from match_details d join matches m on m.key = d.match_key
    where m.gamemode in ('bowspleef', 'tntrun') order by d.match_key desc limit 1`);
  const map = await id(sql`
    select m.key from maps m join map_results r on r.map_key = m.name_key where r.team = '' order by r.play desc limit 1`);
  const uuid = await value(sql`
    select p.uuid from players p join boards b on b.player_key = p.key where b.bucket = ${periodStart('all')} and b.mode = 'total'
    order by b.play desc limit 1`);
  const banned = await value(
    sql`select p.uuid from players p join punishments u on u.punished_key = p.key order by u.key desc limit 1`,
  );
  const hidden = await value(sql`select min(uuid) from private_players`);
  const punishment = await id(sql`select max(key) from punishments`);
  const name = (await value(sql`select name from players where uuid = ${uuid ?? ''}`)) ?? '';
  const server = await id(sql`select server_key from live_matches order by length(teams) desc limit 1`);
  const counter = await value(sql`select min(key) from counters`);
  const pages: SitePage[] = [
    { name: 'home', path: '/' },
    { name: 'matches', path: '/matches' },
    { name: 'matches-of-a-mode', path: '/matches?gamemode=ctw' },
    { name: 'matches-of-two-teams', path: '/matches?team=Red&team=Blue' },
    { name: 'match', path: `/matches/${match}` },
    { name: 'match-without-objectives', path: `/matches/${plain}` },
    { name: 'match-free-for-all', path: `/matches/${alone}` },
    { name: 'server', path: `/servers/${server}` },
    { name: 'maps', path: '/maps' },
    { name: 'maps-by-rating', path: '/maps?sort=rating' },
    { name: 'map', path: `/maps/${map}` },
    { name: 'leaderboards', path: '/leaderboards?period=month' },
    { name: 'leaderboards-of-all-time', path: '/leaderboards?period=all&mode=ctw&by=kill' },
    { name: 'leaderboards-around-a-player', path: `/leaderboards?period=all&by=play&around=${uuid}` },
    { name: 'leaderboards-of-a-counter', path: `/leaderboards?by=${counter}` },
    { name: 'players', path: '/players' },
    { name: 'player', path: `/players/${uuid}` },
    { name: 'player-matches', path: `/players/${uuid}/matches` },
    { name: 'player-rivals', path: `/players/${uuid}/rivals` },
    { name: 'player-comparison', path: `/players/${uuid}/compare?with=${banned}` },
    { name: 'punished-player', path: `/players/${banned}` },
    { name: 'private-player', path: `/players/${hidden}` },
    { name: 'punishments', path: '/punishments' },
    { name: 'punishment', path: `/punishments/${punishment}` },
    { name: 'search', path: `/search?q=${encodeURIComponent(name.slice(0, 2))}` },
    { name: 'privacy', path: '/privacy' },
    { name: 'developers', path: '/developers' },
    { name: 'developers-sign-in', path: '/developers/sign-in' },
    { name: 'developers-rules', path: '/developers/rules' },
    { name: 'developers-ingest', path: '/developers/ingest' },
    { name: 'developers-webhooks', path: '/developers/webhooks' },
    { name: 'developers-changes', path: '/developers/changes' },
    { name: 'developers-lists', path: '/developers/lists' },
    { name: 'developers-deprecation', path: '/developers/deprecation' },
    { name: 'developers-reference', path: '/developers/reference' },
    { name: 'lost', path: '/matches/nothing', error: 404 },
  ];
  return pages.filter(({ path }) => !path.includes('undefined'));
}

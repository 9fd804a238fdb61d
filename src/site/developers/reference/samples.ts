import { idOf } from '#platform/ids.ts';
import type { Db } from '#db/db.ts';
import { listMaps } from '#store/game/maps/maps.ts';
import { listMatchesWhere } from '#store/game/match-lists.ts';
import { hasPseudonym, playersBefore } from '#store/game/players.ts';
import { listPunishments } from '#store/game/punishments.ts';
import { listServers } from '#store/game/servers.ts';

const LAST = Number.MAX_SAFE_INTEGER;
/** The newest players may be pseudonyms of deleted accounts. */
const PLAYERS = 10;

/** An id of this network, by the path of its resource: commands and forms with it succeed. */
export type SampleIds = Readonly<Record<string, string>>;

/** @returns no id of a kind that the network does not have yet */
export async function sampleIds(db: Db, now: number): Promise<SampleIds> {
  const [[match], [map], players, [punishment], [server]] = await Promise.all([
    listMatchesWhere(db, {}, LAST, 1),
    listMaps(db, { before: LAST, limit: 1 }),
    playersBefore(db, LAST, PLAYERS),
    listPunishments(db, LAST, 1, now),
    listServers(db, now),
  ]);
  const player = players.find((one) => !hasPseudonym(one))?.uuid;
  const byKey = Object.entries({ matches: match, maps: map, punishments: punishment, servers: server });
  const ids = byKey.flatMap(([name, row]) => (row === undefined ? [] : [[`/v1/${name}/{id}`, idOf(row.key)] as const]));
  return { ...Object.fromEntries(ids), ...(player !== undefined && { '/v1/players/{id}': player }) };
}

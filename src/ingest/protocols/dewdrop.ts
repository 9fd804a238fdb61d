import { HttpError, invalidRequest } from '#http/errors.ts';
import type { AppContext } from '#context/context.ts';
import type { Queryable } from '#db/db.ts';
import { idOf, keyOf } from '#platform/ids.ts';
import { MAX_PLAYERS } from '#events/schema/match-schema.ts';
import { name, timestamp, uuid } from '#events/schema/members.ts';
import { FIRST_ONLY } from '#events/schema/problems.ts';
import { listCounters } from '#store/game/counters/counters.ts';
import { valuesOfPlayers } from '#store/game/counters/player-counters.ts';
import { mapNameBySlug, saveSluggedMap, sluggedMap } from '#store/game/maps/map-names.ts';
import { matchByKey } from '#store/game/matches.ts';
import { statsOf } from '#store/game/player-stats.ts';
import { namesByUuid, playerByUuid } from '#store/game/players.ts';
import { PGM_GAMEMODES_WITH_GROUP } from '#store/game/statistics-groups.ts';
import type { DewdropCore } from '#dewdrop/core.ts';
import { dewdrop } from '#dewdrop/dewdrop.ts';

type Context = Pick<AppContext, 'db' | 'clock'>;

export const openDewdrop = (context: Context) => dewdrop(dewdropCore(context));

function dewdropCore({ db, clock }: Context): DewdropCore {
  return {
    members: { name, timestamp, uuid, maxPlayers: MAX_PLAYERS },
    gamemodesWithGroup: PGM_GAMEMODES_WITH_GROUP,
    now: () => clock.now(),
    read(shape, body) {
      const read = shape.safeParse(body, FIRST_ONLY);
      if (read.success) return read.data;
      const { path, message } = read.error.issues[0]!;
      throw invalidRequest(`${path.join('.') || 'The body'}: ${message}.`);
    },
    refusal: (status, sentence) => new HttpError(status, status === 404 ? 'not_found' : 'invalid_request', sentence),
    namesOf: (uuids) => namesByUuid(db, uuids),
    sentMap: (slug) => sluggedMap(db, slug),
    mapNamed: (slug) => mapNameBySlug(db, clock.now(), slug),
    saveMap: (slug, map) => saveSluggedMap(db, slug, map),
    async matchOf(id) {
      const match = await matchByKey(db, keyOf(id) ?? 0);
      if (match === undefined) return undefined;
      const { server, map } = JSON.parse(`${match.head}}`) as { server: string; map: string };
      return { id: idOf(match.key), startedAt: match.started, endedAt: match.finished, server, map };
    },
    async statisticsOf(uuid, counterKeys) {
      const player = await playerByUuid(db, uuid);
      if (player === undefined) return undefined;
      const counters = (await listCounters(db)).filter(({ key }) => counterKeys.includes(key));
      return { totals: await readTotals(db, player.key), counters: await readCounters(db, player.key, counters) };
    },
  };
}

async function readTotals(db: Queryable, playerKey: number): Promise<Partial<Record<string, number>>> {
  const sums: Record<string, number> = {};
  for (const counts of Object.values(await statsOf(db, playerKey)))
    for (const [counter, value] of Object.entries(counts)) sums[counter] = (sums[counter] ?? 0) + value;
  return sums;
}

async function readCounters(
  db: Queryable,
  playerKey: number,
  declared: readonly { id: number; key: string }[],
): Promise<Map<string, number>> {
  if (declared.length === 0) return new Map();
  const keys = new Map(declared.map(({ id, key }) => [id, key]));
  const rows = (await valuesOfPlayers(db, [...keys.keys()], [playerKey])).filter(([, mode]) => mode === 'total');
  return new Map(rows.map(([counter, , , value]) => [keys.get(counter)!, value]));
}

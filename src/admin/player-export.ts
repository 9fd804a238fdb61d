import { idOf } from '#platform/ids.ts';
import { mapPages, Members } from '#platform/streams/json-stream.ts';
import type { Queryable } from '#db/db.ts';
import {
  allDeaths,
  allKills,
  allMatches,
  allNames,
  allPunishments,
  allRatings,
} from '#store/accounts/export-queries.ts';
import { listCounters } from '#store/game/counters/counters.ts';
import { playerCounters } from '#store/game/counters/player-counters.ts';
import type { Death } from '#store/game/kills.ts';
import { factsOf } from '#store/game/matches.ts';
import { statsOf } from '#store/game/player-stats.ts';
import type { Player } from '#store/game/players.ts';
import { privacyOf } from '#store/game/private-players.ts';
import type { Punishment } from '#store/game/punishments.ts';

const isoTime = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

/** All data about a player. Lists are read while they are sent. */
export async function playerExport(db: Queryable, player: Player, now: number): Promise<Members> {
  const { key, last_login, last_logout, ...facts } = player;
  return new Members({
    ...facts,
    id: idOf(key),
    last_login: isoTime(last_login),
    last_logout: isoTime(last_logout),
    privacy: await privacyOf(db, player.uuid),
    names: mapPages(allNames(db, key), ({ name, first_seen, last_seen }) => ({
      name,
      first_seen: isoTime(first_seen),
      last_seen: isoTime(last_seen),
    })),
    statistics: await statsOf(db, key),
    counters: Object.fromEntries(await playerCounters(db, await listCounters(db), key)),
    matches: mapPages(allMatches(db, key), ({ head, result, score, kill_count, death_count, started, finished }) => ({
      ...factsOf(head),
      started: isoTime(started),
      finished: isoTime(finished),
      result,
      score,
      kill_count,
      death_count,
    })),
    kills: mapPages(allKills(db, key), killFacts),
    deaths: mapPages(allDeaths(db, key), killFacts),
    punishments: mapPages(allPunishments(db, key, now), punishmentExport),
    ratings: mapPages(allRatings(db, key), ({ time, map_key: _, ...rest }) => ({ ...rest, time: isoTime(time) })),
  });
}

const killFacts = ({ number: _, ...kill }: Death): object => ({
  ...kill,
  match: idOf(kill.match),
  time: isoTime(kill.time),
});

/** Without the people who issued and revoked the punishment, whose data it is too. */
function punishmentExport({ key, punisher: _p, changed: _c, revocation, ...rest }: Punishment): object {
  const revoked = revocation && { time: isoTime(revocation.time), reason: revocation.reason };
  return { ...rest, id: idOf(key), time: isoTime(rest.time), revocation: revoked };
}

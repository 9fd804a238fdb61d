import { DAY, HOUR, MINUTE } from '../calendar.ts';
import { momentOf } from '#demo/network/match/match.ts';
import type { Day } from '../network.ts';
import type { Player } from './players.ts';
import type { Timed } from '../event-queue.ts';
import { Random } from '../random.ts';
import type { Season } from '../history.ts';
import { LOBBY } from '../servers.ts';
import type { Session } from './sessions.ts';

/** When a player was seen in the days before the season. */
export function seenBefore(season: Season, player: Player, opening: number): { from: number; to: number } {
  const random = new Random(season.network.seed, 'seen', player.number);
  const from = Math.floor(opening + random.between(HOUR, 2.5 * DAY));
  return { from, to: Math.floor(from + random.between(15, 90) * MINUTE) };
}

/** The logins and logouts that are told: each player's first ones and last ones, and the first under a new name. */
export function comingsAndGoings(season: Season, opening: number, days: readonly Day[]): Timed[] {
  const first = season.network.players.flatMap((player) => {
    const { from, to } = seenBefore(season, player, opening);
    return [coming(season, 'login', player, LOBBY, from), coming(season, 'logout', player, LOBBY, to)];
  });
  const last = [...lastSessions(season, days)].flatMap((session) => sessionEvents(season, session));
  const renamed = [...season.renames].map(([player, time]) => coming(season, 'login', player, LOBBY, time));
  const told = new Set(last.map(({ event }) => event.id));
  return [...first, ...renamed.filter(({ event }) => !told.has(event.id)), ...last];
}

/** The last session of each player, and the one before where the last one still runs. */
function lastSessions(season: Season, days: readonly Day[]): Set<Session> {
  const last = new Map<Player, Session>();
  const told = new Set<Session>();
  for (const session of days.flatMap(({ sessions }) => sessions)) {
    if (session.from >= season.now) continue;
    if (session.to >= season.now && last.has(session.player)) told.add(last.get(session.player)!);
    last.set(session.player, session);
  }
  return new Set([...told, ...last.values()]);
}

function sessionEvents(season: Season, { player, from, to, visits }: Session): Timed[] {
  const login = coming(season, 'login', player, visits[0]!.server, from);
  return to < season.now ? [login, coming(season, 'logout', player, visits.at(-1)!.server, to)] : [login];
}

function coming(season: Season, kind: 'login' | 'logout', player: Player, server: string, time: number): Timed {
  return {
    time,
    event: {
      version: 1,
      id: `${kind}-${player.number}-${time}`,
      type: `player.${kind}`,
      time: momentOf(time),
      server,
      data: { player: { uuid: player.uuid, name: season.naming(player, time) } },
    },
  };
}

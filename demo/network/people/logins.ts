import { DAY, HOUR, MINUTE } from '../calendar.ts';
import { timestampOf } from '#demo/network/match/match.ts';
import type { Day } from '../network.ts';
import type { Player } from './players.ts';
import type { Timed } from '../event-queue.ts';
import { Random } from '../random.ts';
import type { GeneratedHistory } from '../history.ts';
import { LOBBY } from '../servers.ts';
import type { Session } from './sessions.ts';

/** The session of a player before the first match. */
export function seenBefore(history: GeneratedHistory, player: Player, opening: number): { from: number; to: number } {
  const random = new Random(history.network.seed, 'seen', player.number);
  const from = Math.floor(opening + random.between(HOUR, 2.5 * DAY));
  return { from, to: Math.floor(from + random.between(15, 90) * MINUTE) };
}

/** The reported logins and logouts: each player's first and last ones, and the first login under a new name. */
export function loginsAndLogouts(history: GeneratedHistory, opening: number, days: readonly Day[]): Timed[] {
  const first = history.network.players.flatMap((player) => {
    const { from, to } = seenBefore(history, player, opening);
    return [sessionEvent(history, 'login', player, LOBBY, from), sessionEvent(history, 'logout', player, LOBBY, to)];
  });
  const last = [...lastSessions(history, days)].flatMap((session) => sessionEvents(history, session));
  const renamed = [...history.renames].map(([player, time]) => sessionEvent(history, 'login', player, LOBBY, time));
  const ids = new Set(last.map(({ event }) => event.id));
  return [...first, ...renamed.filter(({ event }) => !ids.has(event.id)), ...last];
}

/** The last session of each player, and also the one before if the last one has not ended. */
function lastSessions(history: GeneratedHistory, days: readonly Day[]): Set<Session> {
  const last = new Map<Player, Session>();
  const previous = new Set<Session>();
  for (const session of days.flatMap(({ sessions }) => sessions)) {
    if (session.from >= history.now) continue;
    if (session.to >= history.now && last.has(session.player)) previous.add(last.get(session.player)!);
    last.set(session.player, session);
  }
  return new Set([...previous, ...last.values()]);
}

function sessionEvents(history: GeneratedHistory, { player, from, to, stays }: Session): Timed[] {
  const login = sessionEvent(history, 'login', player, stays[0]!.server, from);
  return to < history.now ? [login, sessionEvent(history, 'logout', player, stays.at(-1)!.server, to)] : [login];
}

function sessionEvent(
  history: GeneratedHistory,
  kind: 'login' | 'logout',
  player: Player,
  server: string,
  time: number,
): Timed {
  return {
    time,
    event: {
      version: 1,
      id: `${kind}-${player.number}-${time}`,
      type: `player.${kind}`,
      time: timestampOf(time),
      server,
      data: { player: { uuid: player.uuid, name: history.naming(player, time) } },
    },
  };
}

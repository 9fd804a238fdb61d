import { DAY, HOUR, MINUTE } from '../calendar.ts';
import { timestampOf } from '#demo/network/match/match.ts';
import type { Day } from '../network.ts';
import type { Player } from './players.ts';
import type { Timed } from '../event-queue.ts';
import { Random } from '../random.ts';
import type { GeneratedHistory } from '../history.ts';
import { LOBBY } from '../servers.ts';
import type { Session } from './sessions.ts';

/** When a player was seen in the days before the season. */
export function seenBefore(history: GeneratedHistory, player: Player, opening: number): { from: number; to: number } {
  const random = new Random(history.network.seed, 'seen', player.number);
  const from = Math.floor(opening + random.between(HOUR, 2.5 * DAY));
  return { from, to: Math.floor(from + random.between(15, 90) * MINUTE) };
}

/** The logins and logouts that are told: each player's first ones and last ones, and the first under a new name. */
export function loginsAndLogouts(history: GeneratedHistory, opening: number, days: readonly Day[]): Timed[] {
  const first = history.network.players.flatMap((player) => {
    const { from, to } = seenBefore(history, player, opening);
    return [coming(history, 'login', player, LOBBY, from), coming(history, 'logout', player, LOBBY, to)];
  });
  const last = [...lastSessions(history, days)].flatMap((session) => sessionEvents(history, session));
  const renamed = [...history.renames].map(([player, time]) => coming(history, 'login', player, LOBBY, time));
  const received = new Set(last.map(({ event }) => event.id));
  return [...first, ...renamed.filter(({ event }) => !received.has(event.id)), ...last];
}

/** The last session of each player, and the one before where the last one still runs. */
function lastSessions(history: GeneratedHistory, days: readonly Day[]): Set<Session> {
  const last = new Map<Player, Session>();
  const received = new Set<Session>();
  for (const session of days.flatMap(({ sessions }) => sessions)) {
    if (session.from >= history.now) continue;
    if (session.to >= history.now && last.has(session.player)) received.add(last.get(session.player)!);
    last.set(session.player, session);
  }
  return new Set([...received, ...last.values()]);
}

function sessionEvents(history: GeneratedHistory, { player, from, to, visits: sessions }: Session): Timed[] {
  const login = coming(history, 'login', player, sessions[0]!.server, from);
  return to < history.now ? [login, coming(history, 'logout', player, sessions.at(-1)!.server, to)] : [login];
}

function coming(
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

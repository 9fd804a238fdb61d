import type { Queryable } from '#db/db.ts';
import { type ListedBan, listedBans, type OnlinePlayer, onlineOn } from '#store/game/watches/managed-state.ts';
import { type Ban } from './messages.ts';
import type { Arrived } from './socket.ts';
import { contentOf } from './events.ts';

/** One change of what a server has reported. `time` is when it happened, as far as that is known. */
export type Step =
  | { kind: 'joined' | 'left'; player: OnlinePlayer; time: number }
  | { kind: 'banned'; ban: Ban; time: number }
  | { kind: 'unbanned'; uuidHash: string; uuid?: string; time: number };

/** The most steps of one transaction, which bound how long it holds the lock of the writer. */
const MAX_STEPS = 100;

/** Cuts steps into portions of one transaction each. */
export function* portionsOf(steps: readonly Step[]): Generator<Step[]> {
  for (let start = 0; start < steps.length; start += MAX_STEPS) yield steps.slice(start, start + MAX_STEPS);
}

/** The state and settings that steps are computed from, besides the report. */
interface Comparison {
  db: Queryable;
  serverKey: number;
  /** When the server was last heard before this connection; what happened unseen is reported with this time where it ended. */
  contact: number | null;
}

/** The steps that a report amounts to. A list is compared with what was reported before. */
export async function stepsOf({ report, time }: Arrived, known: Comparison): Promise<Step[]> {
  switch (report.kind) {
    case 'joined':
    case 'left':
      return [{ kind: report.kind, player: report.player, time }];
    case 'banned':
      return [{ kind: 'banned', ban: report.ban, time }];
    case 'unbanned':
      return [{ kind: 'unbanned', uuid: report.uuid, uuidHash: known.db.keyedHash(report.uuid), time }];
    case 'players':
      return await playerSteps(known, report.players, time);
    case 'bans':
      return await banSteps(known, report.bans, time);
    case 'stopping':
      return await playerSteps({ ...known, contact: time }, [], time);
  }
}

async function playerSteps(
  { db, serverKey, contact }: Comparison,
  players: OnlinePlayer[],
  time: number,
): Promise<Step[]> {
  const before = await onlineOn(db, serverKey);
  const present = new Set(players.map(({ uuid }) => uuid));
  const known = new Set(before.map(({ uuid }) => uuid));
  // Nobody saw when a player left meanwhile: the last contact is the last time at which the player was there for certain.
  const unseen = Math.min(contact ?? time, time);
  const left = before.filter(({ uuid }) => !present.has(uuid));
  const joined = players.filter(({ uuid }) => !known.has(uuid));
  return [
    ...left.map((player) => ({ kind: 'left', player, time: unseen }) as const),
    ...joined.map((player) => ({ kind: 'joined', player, time }) as const),
  ];
}

async function banSteps({ db, serverKey }: Comparison, bans: Ban[], time: number): Promise<Step[]> {
  const before = await listedBans(db, serverKey);
  const hashes = new Map(bans.map((ban) => [db.keyedHash(ban.uuid), ban]));
  const changed = [...hashes].filter(([uuidHash, ban]) => before.get(uuidHash)?.content !== contentOf(ban));
  const removed = [...before.values()].filter(({ uuidHash }) => !hashes.has(uuidHash));
  return [
    ...changed.map(([, ban]) => ({ kind: 'banned', ban, time }) as const),
    ...removed.map(({ uuidHash }: ListedBan) => ({ kind: 'unbanned', uuidHash, time }) as const),
  ];
}

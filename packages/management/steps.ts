import { setImmediate } from 'node:timers/promises';
import type { OnlinePlayer, ReportedState } from './core.ts';
import { type Ban, banOf } from './messages.ts';
import type { Arrived } from './socket.ts';
import { contentOf } from './events.ts';

/** One change of the reported state of a server. `time` is when it happened, if known. */
export type Step =
  | { kind: 'joined' | 'left'; player: OnlinePlayer; time: number }
  | { kind: 'banned'; ban: Ban; time: number }
  | { kind: 'unbanned'; uuidHash: string; uuid?: string; time: number };

/** Maximum steps per transaction, which bounds how long it holds the writer's lock. */
const MAX_STEPS = 100;

/**
 * Entries of a list of bans that are read, hashed and compared per turn of the event loop. This takes some 4 ms of the
 * thread, which also writes the events of all servers.
 */
const BANS_PER_TURN = 200;

/** Splits steps into slices of one transaction each. */
export const splitSteps = (steps: readonly Step[]): Iterable<readonly Step[]> => slicesOf(steps, MAX_STEPS);

function* slicesOf<T>(list: readonly T[], size: number): Generator<readonly T[]> {
  for (let at = 0; at < list.length; at += size) yield list.slice(at, at + size);
}

/** The state and settings from which steps are computed, in addition to the report. */
interface Comparison {
  state: ReportedState;
  keyedHash: (uuid: string) => string;
  /**
   * The last contact before this connection. Leaves and revocations that were not observed are reported with this time.
   */
  contact: number | null;
}

/** The steps of a report. A list is compared with the reported state. */
export async function stepsOf({ report, time }: Arrived, known: Comparison): Promise<Step[]> {
  switch (report.kind) {
    case 'joined':
    case 'left':
      return [{ kind: report.kind, player: report.player, time }];
    case 'banned':
      return [{ kind: 'banned', ban: report.ban, time }];
    case 'unbanned':
      return [{ kind: 'unbanned', uuid: report.uuid, uuidHash: known.keyedHash(report.uuid), time }];
    case 'players':
      return await playerSteps(known, report.players, time);
    case 'bans':
      return await banSteps(known, report.entries, time);
    case 'stopping':
      return await playerSteps({ ...known, contact: time }, [], time);
  }
}

async function playerSteps({ state, contact }: Comparison, players: OnlinePlayer[], time: number): Promise<Step[]> {
  const before = await state.online();
  const present = new Set(players.map(({ uuid }) => uuid));
  const known = new Set(before.map(({ uuid }) => uuid));
  // The time of the leave was not observed; the player was last certainly there at the last contact.
  const unseen = Math.min(contact ?? time, time);
  const left = before.filter(({ uuid }) => !present.has(uuid));
  const joined = players.filter(({ uuid }) => !known.has(uuid));
  return [
    ...left.map((player) => ({ kind: 'left', player, time: unseen }) as const),
    ...joined.map((player) => ({ kind: 'joined', player, time }) as const),
  ];
}

/** The readable entries of a list of bans, a slice per turn of the event loop. */
export async function* bansByTurn(entries: readonly unknown[]): AsyncGenerator<readonly Ban[]> {
  for (const slice of slicesOf(entries, BANS_PER_TURN)) {
    yield slice.flatMap((entry) => banOf(entry) ?? []);
    await setImmediate();
  }
}

async function banSteps({ state, keyedHash }: Comparison, entries: readonly unknown[], time: number): Promise<Step[]> {
  const present = new Set<string>();
  const changed = new Map<string, Ban>();
  for await (const read of bansByTurn(entries)) {
    const bans = new Map(read.map((ban) => [keyedHash(ban.uuid), ban]));
    const before = await state.listedBans([...bans.keys()]);
    for (const [uuidHash, ban] of bans) {
      present.add(uuidHash);
      if (before.get(uuidHash)?.content === contentOf(ban)) changed.delete(uuidHash);
      else changed.set(uuidHash, ban);
    }
  }
  const removed = await bansBeside(state, present);
  return [
    ...changed.values().map((ban) => ({ kind: 'banned', ban, time }) as const),
    ...removed.map((uuidHash) => ({ kind: 'unbanned', uuidHash, time }) as const),
  ];
}

/** The stored bans that are missing from the list. */
async function bansBeside(state: ReportedState, present: ReadonlySet<string>): Promise<string[]> {
  const beside: string[] = [];
  for (let after: string | undefined = ''; after !== undefined;) {
    const page = await state.bansAfter(after, BANS_PER_TURN);
    beside.push(...page.filter((uuidHash) => !present.has(uuidHash)));
    after = page.length < BANS_PER_TURN ? undefined : page.at(-1);
    await setImmediate();
  }
  return beside;
}

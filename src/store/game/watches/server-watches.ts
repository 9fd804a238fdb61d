import { changesRow, type Queryable, type Transactional } from '#db/db.ts';
import { list, sql } from '#db/sql.ts';

/** Game servers that Scorehall polls by their own protocols, and the outcome of the last poll. */

/**
 * The protocols by which a game server can be polled: the status ping of Minecraft Java Edition, and the protocols of
 * the library gamedig that use UDP alone. Those over HTTP or TCP are left out: gamedig limits neither the size of an
 * answer nor the target of a redirect.
 */
export const WATCH_PROTOCOLS = [
  'minecraft',
  'minecraftbedrock',
  'valve',
  'goldsrc',
  'quake1',
  'quake2',
  'quake3',
  'doom3',
  'gamespy1',
  'gamespy2',
  'gamespy3',
  'unreal2',
  'ut3',
  'ase',
  'samp',
  'vcmp',
  'warsow',
  'xonotic',
] as const;
export type WatchProtocol = (typeof WATCH_PROTOCOLS)[number];

/** The second half of a sentence about the address, `needs …`; undefined if it suits the protocol. */
export function targetProblem({ port }: { port: number | undefined }, protocol: WatchProtocol): string | undefined {
  if (protocol === 'minecraft' || port !== undefined) return undefined;
  return `needs the query port of the server, as in play.example.org:27015, for the protocol ${protocol}`;
}

/** Why a poll failed. */
export type PollReason =
  'timeout' | 'refused' | 'unreachable' | 'not_found' | 'private_redirect' | 'too_large' | 'wrong_answer' | 'rejected';

/** The settings of an operator. */
export interface WatchTarget {
  /** In the form of `readGameAddress`. */
  address: string;
  protocol: WatchProtocol;
}

export interface Watch extends WatchTarget {
  /** When the last poll ended; null before the first. */
  polled: number | null;
  /** Why the last poll failed; null after a success and before the first. */
  error: PollReason | null;
  /** When the last successful poll ended, with its number of players and places. */
  succeeded: number | null;
  playerCount: number;
  max: number;
}

/** The match in the last answer of a server that runs PGM. */
export interface PolledMatch {
  /** As PGM counts it, from 0 at each start of the server. */
  number: number;
  /** By our clock; null before it begins. */
  started: number | null;
  /** How long it had been running, as PGM counts. */
  seconds: number;
}

/** A server that this process polls. */
export interface HeldWatch extends WatchTarget {
  serverKey: number;
  serverName: string;
}

export interface PollOutcome {
  serverKey: number;
  /** The target that was polled. */
  address: string;
  protocol: string;
  ended: number;
  result: { playerCount: number; max: number; match?: PolledMatch | null } | { error: PollReason };
}

/** The prefix of the ids of the watcher's heartbeats; heartbeats with other ids come from the server itself. */
export const WATCH_EVENT = 'watch ';

const COLUMNS = sql`
  w.address, w.protocol, w.polled, nullif(w.error, '') as error, w.succeeded, w.player_count as "playerCount", w.max`;

export const watchOf = (db: Queryable, serverKey: number): Promise<Watch | undefined> =>
  db.get(sql`select ${COLUMNS} from server_watches w where w.server_key = ${serverKey}`);

/** Every watch with the name of its server, in the order of the servers' keys. */
export const listWatches = (db: Queryable): Promise<(Watch & { server: string })[]> =>
  db.all(sql`
    select s.name as server, ${COLUMNS}
    from server_watches w join servers s on s.key = w.server_key order by w.server_key`);

/** Watches a server from now on. Another address or protocol starts without a last poll. */
export async function setWatch(db: Transactional, serverKey: number, target: WatchTarget): Promise<void> {
  await db.run(sql`
    insert into server_watches (server_key, address, protocol, holder, held_until, polled, error, succeeded, player_count, max)
    values (${serverKey}, ${target.address}, ${target.protocol}, '', 0, null, '', null, 0, 0)
    on conflict (server_key) do update set address = excluded.address, protocol = excluded.protocol,
      polled = null, error = '', succeeded = null, player_count = 0, max = 0,
      match_number = null, match_started = null, match_seconds = null
    where server_watches.address <> excluded.address or server_watches.protocol <> excluded.protocol`);
}

/** @returns whether the server was watched */
export const removeWatch = (db: Queryable, serverKey: number): Promise<boolean> =>
  changesRow(db, sql`delete from server_watches where server_key = ${serverKey}`);

/** The servers that a process polls. */
export const heldWatches = (db: Queryable, holder: string): Promise<HeldWatch[]> =>
  db.all(sql`
    select w.server_key as "serverKey", s.name as "serverName", w.address, w.protocol
    from server_watches w join servers s on s.key = w.server_key where w.holder = ${holder}`);

/** The servers of these that report themselves: whose own heartbeat was received since the timestamp. */
export async function reportingThemselves(
  db: Queryable,
  serverKeys: readonly number[],
  since: number,
): Promise<ReadonlySet<number>> {
  if (serverKeys.length === 0) return new Set();
  const rows = await db.all<{ server_key: number }>(sql`
    select server_key from presence
    where server_key in (${list(serverKeys)}) and received >= ${since} and event_id not like ${`${WATCH_EVENT}%`}`);
  return new Set(rows.map(({ server_key }) => server_key));
}

/** The servers of these that are still watched, with the match of their last answer. */
export async function stillWatched(
  db: Queryable,
  serverKeys: readonly number[],
): Promise<ReadonlyMap<number, WatchTarget & { match: PolledMatch | null }>> {
  if (serverKeys.length === 0) return new Map();
  const rows = await db.all<MatchRow & WatchTarget>(sql`
    select server_key, address, protocol, match_number, match_started, match_seconds
    from server_watches where server_key in (${list(serverKeys)})`);
  return new Map(
    rows.map(({ address, protocol, ...row }) => [row.server_key, { address, protocol, match: matchFrom(row) }]),
  );
}

interface MatchRow {
  server_key: number;
  match_number: number | null;
  match_started: number | null;
  match_seconds: number | null;
}

function matchFrom({
  match_number: number,
  match_started: started,
  match_seconds: seconds,
}: MatchRow): PolledMatch | null {
  return number === null ? null : { number, started, seconds: seconds ?? 0 };
}

/** Stores the outcomes of polls, except for those of a watch that was changed meanwhile. */
export async function recordPolls(tx: Queryable, outcomes: readonly PollOutcome[]): Promise<void> {
  // In the order of the keys, so that two processes do not deadlock.
  const ordered = outcomes.toSorted((one, other) => one.serverKey - other.serverKey);
  await tx.runAll(
    ordered.map(({ serverKey, address, protocol, ended, result }) => {
      const which = sql`where server_key = ${serverKey} and address = ${address} and protocol = ${protocol}`;
      if ('error' in result) return sql`update server_watches set polled = ${ended}, error = ${result.error} ${which}`;
      return sql`
        update server_watches set polled = ${ended}, error = '', succeeded = ${ended},
          player_count = ${result.playerCount}, max = ${result.max}, match_number = ${result.match?.number ?? null},
          match_started = ${result.match?.started ?? null}, match_seconds = ${result.match?.seconds ?? null} ${which}`;
    }),
  );
}

import type { Event } from '../../sender/event.ts';
import { nameKey } from '../../text/text.ts';
import { isFuture } from '../clock-difference.ts';
import { ImportRefusal, type Finding } from '../finding.ts';
import { serverProblem } from '../server-choice.ts';
import { numberIn, type SourcePlayer, textIn, timeIn } from './cells.ts';
import { counted, type ImportContext } from './database-import.ts';
import type { SourceRow } from './source-database.ts';

/** Sessions of players become logins and logouts. */

export interface SessionRecord {
  table: string;
  place: string;
  /** The beginning of the ids of its events. */
  id: string;
  player: SourcePlayer;
  server: string;
  start: number;
  /** Null while it lasts. */
  end: number | null;
}

/** Sessions that were read together, and the mark after them. */
export interface SessionPage {
  records: readonly SessionRecord[];
  findings: readonly Finding[];
  mark: number | undefined;
}

/** The end of a session; null if its program has written none. @throws ImportRefusal */
export const endIn = (row: SourceRow, column: string): number | null =>
  textIn(row, column) === '' || numberIn(row, column) <= 0 ? null : timeIn(row, column);

/** @throws ImportRefusal */
export function checkSession(record: SessionRecord): SessionRecord {
  const { player, server, start, end } = record;
  if (player.name === '') throw new ImportRefusal('has a player without a name', 'player');
  if (server === '') throw new ImportRefusal('has no server', 'server');
  if (end !== null && end < start) throw new ImportRefusal('is before the session began', 'end');
  return record;
}

export function sessionEvents({ id, player, server, start, end }: SessionRecord): Event[] {
  const event = (type: 'player.login' | 'player.logout', time: number): Event => ({
    version: 1,
    id: `${id}:${type === 'player.login' ? 'login' : 'logout'}`,
    type,
    time: new Date(time).toISOString(),
    server,
    data: { player },
  });
  return end === null ? [event('player.login', start)] : [event('player.login', start), event('player.logout', end)];
}

const PART = 'sessions';
/** Marks of servers whose sessions were left out. */
const UNKNOWN = 'unknown server ';
/** Enough for any network. Bounds the rows that a hostile database could create. */
const MOST_UNKNOWN = 100;

/**
 * Imports the sessions since the last import. Sessions of unknown servers are refused, and their servers recorded: once
 * the network has one of these, all sessions are read again.
 * @param pagesFrom reads the sessions after a mark
 */
export async function* sessionFindings(
  pagesFrom: (mark: number) => AsyncIterable<SessionPage>,
  context: ImportContext,
): AsyncGenerator<Finding> {
  const { source, state } = context;
  const now = context.network.now();
  const before = await state.marks();
  const left = [...before.keys()].filter((part) => part.startsWith(UNKNOWN));
  const servers = new ServerCheck(context);
  const found: string[] = [];
  for (const part of left) if ((await servers.problemOf(part.slice(UNKNOWN.length))) === undefined) found.push(part);
  const from = found.length > 0 ? 0 : Number(before.get(PART) ?? '0');
  for await (const { records, findings, mark } of pagesFrom(from)) {
    yield* findings;
    for (const record of records) {
      if (!(await servers.accepts(record.server))) continue;
      const { table: file, place, end } = record;
      if (isFuture(record.start, now)) {
        yield { file, place, refusal: 'begins in the future: the clock of its server was ahead' };
        continue;
      }
      const isEndFalse = end !== null && isFuture(end, now);
      if (isEndFalse) yield { file, place, note: 'ends in the future; only its beginning is imported' };
      for (const event of sessionEvents(isEndFalse ? { ...record, end: null } : record))
        yield { file, place, event, isKnownById: true };
    }
    if (mark === undefined) continue;
    yield { file: PART, place: '', checkpoint: { source, marks: { [PART]: String(mark) } } };
  }
  yield* servers.notes();
  yield* servers.refusals();
  const marks = Object.fromEntries([
    ...found.map((part) => [part, null]),
    ...[...servers.unknown].map((server) => [`${UNKNOWN}${server}`, '']),
  ]) as Record<string, string | null>;
  yield { file: PART, place: '', checkpoint: { source, marks } };
}

/** The known and unknown servers of sessions. */
class ServerCheck {
  readonly #context: ImportContext;
  readonly #problems = new Map<string, string | undefined>();
  readonly #counts = new Map<string, number>();
  /** The names of the servers of accepted sessions by their keys. */
  readonly #accepted = new Map<string, string>();

  constructor(context: ImportContext) {
    this.#context = context;
  }

  async problemOf(server: string): Promise<string | undefined> {
    const key = nameKey(server);
    if (!this.#problems.has(key)) {
      const { network, create } = this.#context;
      this.#problems.set(key, await serverProblem(server, network, { create }));
    }
    return this.#problems.get(key);
  }

  /** Whether the network has the server. If not, counts the session. */
  async accepts(server: string): Promise<boolean> {
    if ((await this.problemOf(server)) === undefined) {
      this.#accepted.set(nameKey(server), server);
      return true;
    }
    if (this.#counts.has(server) || this.#counts.size < MOST_UNKNOWN)
      this.#counts.set(server, (this.#counts.get(server) ?? 0) + 1);
    return false;
  }

  get unknown(): Iterable<string> {
    return this.#counts.keys();
  }

  /** The agent, a plugin and this import each report a login under another id, so that it would be there twice. */
  async *notes(): AsyncGenerator<Finding> {
    for (const server of this.#accepted.values()) {
      if (!(await this.#context.network.reportsItself(server))) continue;
      const note =
        'reports its logins itself, by the agent or a plugin: with the imported sessions they are there twice';
      yield { file: PART, place: server, note };
    }
  }

  *refusals(): Generator<Finding> {
    for (const [server, count] of this.#counts)
      yield {
        file: PART,
        place: server,
        refusal: `${counted(count, 'session')} left out: ${this.#problems.get(nameKey(server))}`,
      };
  }
}

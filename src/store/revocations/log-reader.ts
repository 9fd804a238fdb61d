import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { UsageError } from '#platform/errors.ts';

export const KINDS = [
  'account',
  'player',
  'token',
  'console session',
  'server key',
  'server',
  'application',
  'application secret',
  'access',
  'owner',
  'consent',
  'signing key',
  'management',
  'disabled',
  'role',
  'passkey',
  'authenticator app',
  'recovery code',
  'factor code',
  'factor reset',
  'webhook',
  'mail link',
  'invitation',
  'hidden player',
  'removed name',
  'private player',
  'punishment notice',
] as const;
export type RevocationKind = (typeof KINDS)[number];

/** The last detail of each subject, by kind. Of states that can be restored (a role, a consent) the last one counts. */
export type Revocations = Record<RevocationKind, Map<string, string>>;

export interface RevocationLog {
  revocations: Revocations;
  /** The number of lines used, which are not from before the backup nor about an expired credential. */
  lines: number;
  /** The time of the newest line, epoch milliseconds; undefined if there is none. */
  newest: number | undefined;
  /** Lines that a crash left incomplete, as `FILE line 3`. */
  unreadable: string[];
}

const LogLine = z.object({
  time: z.iso.datetime(),
  kind: z.string(),
  subject: z.string(),
  detail: z.string(),
  until: z.int().nullable(),
});

/** Maximum difference between the clocks of the machines that write the log and the backup. */
const CLOCK_TOLERANCE_MS = 60_000;

/**
 * Reads revocation logs, in the order of their lines.
 * @param since epoch milliseconds; earlier lines are in the backup
 * @throws UsageError if a file cannot be read, is not a log, or is from a newer version
 */
export async function readRevocationLogs(files: readonly string[], since: number, now: number): Promise<RevocationLog> {
  const revocations = Object.fromEntries(KINDS.map((kind) => [kind, new Map()])) as Revocations;
  const log: RevocationLog = { revocations, lines: 0, newest: undefined, unreadable: [] };
  for (const file of files) await readInto(log, file, { from: since - CLOCK_TOLERANCE_MS, now });
  return log;
}

async function readInto(log: RevocationLog, file: string, { from, now }: { from: number; now: number }): Promise<void> {
  let [number, readable] = [0, 0];
  for await (const text of readLines(file)) {
    number++;
    if (text === '') continue;
    const line = parse(text);
    if (line === undefined) {
      log.unreadable.push(`${file} line ${number}`);
      continue;
    }
    readable++;
    const subjects = log.revocations[line.kind as RevocationKind] as Map<string, string> | undefined;
    if (subjects === undefined) {
      throw new UsageError(`${file} line ${number}: this version does not know "${line.kind}". Use the newer version.`);
    }
    const time = Date.parse(line.time);
    log.newest = Math.max(log.newest ?? time, time);
    if (time < from || (line.until ?? Infinity) <= now) continue;
    subjects.set(line.subject, line.detail);
    log.lines++;
  }
  if (number > 0 && readable === 0) {
    throw new UsageError(`${file} is no revocation log: it has no line like those that REVOCATION_LOG writes.`);
  }
}

async function* readLines(file: string): AsyncGenerator<string> {
  try {
    yield* createInterface({ input: createReadStream(file) });
  } catch (error) {
    throw new UsageError(`The log ${file} cannot be read: ${(error as Error).message}.`);
  }
}

function parse(text: string): z.infer<typeof LogLine> | undefined {
  try {
    return LogLine.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

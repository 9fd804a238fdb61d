import { UsageError } from '#platform/errors.ts';
import { errorOutput } from '#platform/process/output.ts';
import { isErased } from '#store/accounts/deleted-players.ts';
import { readTime } from '#text/time.ts';
import { type AuditEntry, listAudit, type Outcome, OUTCOMES } from '#store/audit/audit.ts';
import { type Command, type Input, JSON_OPTION, option, withAppContext } from './command/command.ts';
import { erasedSentence } from './command/player-option.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 10_000;

export const commands: Command[] = [
  {
    words: 'audit',
    summary: 'List the audit log, newest first: who did what, when, from where, and with which outcome',
    options: {
      actor: option('NAME', 'The name of the person'),
      action: option('VALUE', 'An action such as application.create, or a group of actions such as application'),
      subject: option('ID', 'The Client ID, or the id of the account, punishment …'),
      address: option('VALUE', 'The IP address, or the host name where a command was run'),
      outcome: option('VALUE', 'The outcome: done, refused or failed'),
      since: option('TIME', 'Entries from this time on, for example 2026-01-31T12:00:00Z'),
      until: option('TIME', 'Entries before this time'),
      before: option('ID', 'Entries before this id: the last one of the previous page'),
      limit: option('N', `The number of entries (default: ${DEFAULT_LIMIT})`),
      json: JSON_OPTION,
    },
    run: audit,
  },
];

async function audit(input: Input): Promise<void> {
  const outcome = input.optional('outcome');
  if (outcome !== undefined && !OUTCOMES.includes(outcome as Outcome)) {
    throw new UsageError(`--outcome must be one of ${OUTCOMES.join(', ')} (it is "${outcome}").`);
  }
  const limit = input.optional('limit') ?? String(DEFAULT_LIMIT);
  if (!/^[1-9]\d{0,4}$/.test(limit) || Number(limit) > MAX_LIMIT) {
    throw new UsageError(`--limit must be a whole number from 1 to ${MAX_LIMIT} (it is "${limit}").`);
  }
  const [actor, action, subject, address, before] = ['actor', 'action', 'subject', 'address', 'before'].map((name) =>
    input.optional(name),
  );
  const filter = { actor, action, subject, address, before, outcome: outcome as Outcome | undefined };
  const bounds = { since: timeOption(input, 'since'), until: timeOption(input, 'until') };
  await withAppContext(input, async ({ db }) => {
    input.print((await listAudit(db, { ...filter, ...bounds }, Number(limit))).map(wire));
    if (subject !== undefined && (await isErased(db, subject)))
      errorOutput().write(`--subject: ${erasedSentence(subject)}\n`);
  });
}

function timeOption(input: Input, name: string): number | undefined {
  const text = input.optional(name);
  if (text === undefined) return undefined;
  const time = readTime(text);
  if (time !== undefined) return time;
  throw new UsageError(`--${name} must be a time like 2026-01-31T12:00:00Z (it is "${text}").`);
}

function wire({ time, actor_id, ...entry }: AuditEntry): Record<string, unknown> {
  return { time: new Date(time).toISOString(), actor_id, ...entry };
}

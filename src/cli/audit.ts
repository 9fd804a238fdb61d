import { UsageError } from '#platform/errors.ts';
import { errorOutput } from '#platform/process/output.ts';
import { isErased } from '#store/accounts/deleted-players.ts';
import { readTime } from '#text/time.ts';
import { type AuditEntry, listAudit, type Outcome, OUTCOMES } from '#store/audit/audit.ts';
import { type Command, type Input, JSON_OPTION, optional, printTable, withAppContext } from './command/command.ts';
import { erasedSentence } from './command/player-option.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 10_000;

export const commands: Command[] = [
  {
    words: 'audit',
    summary: 'List the audit log, newest first: who did what, when, from where, and with which outcome',
    options: {
      actor: { type: 'string', value: 'NAME', help: 'The name of the person' },
      action: {
        type: 'string',
        help: 'An action such as application.create, or a group of actions such as application',
      },
      subject: { type: 'string', value: 'ID', help: 'The Client ID, or the id of the account, punishment …' },
      address: { type: 'string', help: 'The IP address, or the host name where a command was run' },
      outcome: { type: 'string', help: 'The outcome: done, refused or failed' },
      since: { type: 'string', value: 'TIME', help: 'Entries from this time on, for example 2026-01-31T12:00:00Z' },
      until: { type: 'string', value: 'TIME', help: 'Entries before this time' },
      before: { type: 'string', value: 'ID', help: 'Entries before this id: the last one of the previous page' },
      limit: { type: 'string', value: 'N', help: `The number of entries (default: ${DEFAULT_LIMIT})` },
      json: JSON_OPTION,
    },
    run: audit,
  },
];

async function audit(input: Input): Promise<void> {
  const outcome = optional(input, 'outcome');
  if (outcome !== undefined && !OUTCOMES.includes(outcome as Outcome)) {
    throw new UsageError(`--outcome must be one of ${OUTCOMES.join(', ')} (it is "${outcome}").`);
  }
  const limit = optional(input, 'limit') ?? String(DEFAULT_LIMIT);
  if (!/^[1-9]\d{0,4}$/.test(limit) || Number(limit) > MAX_LIMIT) {
    throw new UsageError(`--limit must be a whole number from 1 to ${MAX_LIMIT} (it is "${limit}").`);
  }
  const [actor, action, subject, address, before] = ['actor', 'action', 'subject', 'address', 'before'].map((name) =>
    optional(input, name),
  );
  const filter = { actor, action, subject, address, before, outcome: outcome as Outcome | undefined };
  const bounds = { since: timeOption(input, 'since'), until: timeOption(input, 'until') };
  await withAppContext(input, async ({ db }) => {
    printTable(input, (await listAudit(db, { ...filter, ...bounds }, Number(limit))).map(wire));
    if (subject !== undefined && (await isErased(db, subject)))
      errorOutput().write(`--subject: ${erasedSentence(subject)}\n`);
  });
}

function timeOption(input: Input, name: string): number | undefined {
  const text = optional(input, name);
  if (text === undefined) return undefined;
  const time = readTime(text);
  if (time !== undefined) return time;
  throw new UsageError(`--${name} must be a time like 2026-01-31T12:00:00Z (it is "${text}").`);
}

function wire({ time, actor_id, ...entry }: AuditEntry): Record<string, unknown> {
  return { time: new Date(time).toISOString(), actor_id, ...entry };
}

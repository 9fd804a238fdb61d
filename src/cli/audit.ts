import { UsageError } from '#platform/errors.ts';
import { type AuditEntry, listAudit, type Outcome, OUTCOMES } from '#store/audit/audit.ts';
import { type Command, type Input, JSON_OPTION, optional, printTable, withAppContext } from './command.ts';

const USUAL = 50;
const MAX = 10_000;

export const commands: Command[] = [
  {
    words: 'audit',
    summary: 'Who did what, when, from where, and how it ended; the newest first',
    options: {
      actor: { type: 'string', value: 'NAME', help: 'Who did it' },
      action: { type: 'string', help: 'What: application.create, or everything about application' },
      subject: { type: 'string', value: 'ID', help: 'To what: a Client ID, the id of an account, of a punishment …' },
      address: { type: 'string', help: 'From where: an address, or the name of the machine of a command' },
      outcome: { type: 'string', help: 'done, refused or failed' },
      since: { type: 'string', value: 'MOMENT', help: 'From this moment on, like 2026-01-31T12:00:00Z' },
      until: { type: 'string', value: 'MOMENT', help: 'Before this moment' },
      before: { type: 'string', value: 'ID', help: 'Only entries before this one: the last id of the page before' },
      limit: { type: 'string', value: 'N', help: `How many; ${USUAL} when left out` },
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
  const limit = optional(input, 'limit') ?? String(USUAL);
  if (!/^[1-9]\d{0,4}$/.test(limit) || Number(limit) > MAX) {
    throw new UsageError(`--limit must be a whole number from 1 to ${MAX} (it is "${limit}").`);
  }
  const [actor, action, subject, address, before] = ['actor', 'action', 'subject', 'address', 'before'].map((name) =>
    optional(input, name),
  );
  const filter = { actor, action, subject, address, before, outcome: outcome as Outcome | undefined };
  const bounds = { since: timestampOf(input, 'since'), until: timestampOf(input, 'until') };
  await withAppContext(async ({ db }) =>
    printTable(input, (await listAudit(db, { ...filter, ...bounds }, Number(limit))).map(wire)),
  );
}

function timestampOf(input: Input, name: string): number | undefined {
  const text = optional(input, name);
  if (text === undefined) return undefined;
  const timestamp = Date.parse(text);
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(timestamp))
    return timestamp;
  throw new UsageError(`--${name} must be a moment like 2026-01-31T12:00:00Z (it is "${text}").`);
}

function wire({ time, actor_id, ...entry }: AuditEntry): Record<string, unknown> {
  return { time: new Date(time).toISOString(), actor_id, ...entry };
}

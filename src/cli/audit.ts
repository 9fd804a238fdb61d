import { errorOutput } from '#platform/process/output.ts';
import { isErased } from '#store/accounts/deleted-players.ts';
import { readTime } from '#text/time.ts';
import { listAudit, type Outcome, OUTCOMES } from '#store/audit/audit.ts';
import type { AppContext } from '#context/context.ts';
import { type Command, type Input, oneOf, option, reading, timestampOf, wholeNumber } from './command/command.ts';
import { erasedSentence } from './command/player-option.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 10_000;

const TIME = { name: 'a time like 2026-01-31T12:00:00Z', isOf: (text: string) => readTime(text) !== undefined };

export const commands: Command[] = [
  reading('audit', 'List the audit log, newest first: who did what, when, from where, and with which outcome', audit, {
    actor: option('NAME', 'The name of the person'),
    action: option('VALUE', 'An action such as application.create, or a group of actions such as application'),
    subject: option('ID', 'The Client ID, or the id of the account, punishment …'),
    address: option('VALUE', 'The IP address, or the host name where a command was run'),
    outcome: option('VALUE', 'The outcome: done, refused or failed', oneOf(OUTCOMES)),
    since: option('TIME', 'Entries from this time on, for example 2026-01-31T12:00:00Z', TIME),
    until: option('TIME', 'Entries before this time', TIME),
    before: option('ID', 'Entries before this id: the last one of the previous page'),
    limit: option('N', `The number of entries (default: ${DEFAULT_LIMIT})`, wholeNumber(1, MAX_LIMIT)),
  }),
];

async function audit({ db }: AppContext, input: Input) {
  const outcome = input.optional('outcome') as Outcome | undefined;
  const limit = input.number('limit') ?? DEFAULT_LIMIT;
  const [since, until] = ['since', 'until'].map((name) => readTime(input.optional(name) ?? ''));
  const [actor, action, subject, address, before] = ['actor', 'action', 'subject', 'address', 'before'].map((name) =>
    input.optional(name),
  );
  if (subject !== undefined && (await isErased(db, subject)))
    errorOutput().write(`--subject: ${erasedSentence(subject)}\n`);
  const entries = await listAudit(db, { actor, action, subject, address, before, outcome, since, until }, limit);
  return entries.map(({ time, actor_id, ...entry }) => ({ time: timestampOf(time), actor_id, ...entry }));
}

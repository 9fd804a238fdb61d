import type { z } from 'zod';
import type { AppContext } from '#context/context.ts';
import type { Problem } from '#events/schema/problems.ts';
import type { Receipt } from '#events/ledger/receipts.ts';
import type { ResourceKind } from '#store/game/changes.ts';
import type { Queryable, Transaction } from '#db/db.ts';
import { type Act, type Actor, recordAudit } from '#store/audit/audit.ts';

/** Who acts, and the context of the page or command. */
export type Acting = Pick<AppContext, 'config' | 'db' | 'clock' | 'log' | 'mail'> & { actor: Actor };

/** What the question before an operation reads. */
export type Asking = Pick<Acting, 'config' | 'clock'> & { db: Queryable };

/**
 * What an operation works with: a transaction, and no database. PostgreSQL may run an operation again, so it changes nothing
 * else; secrets are shown and mails are sent when it is done.
 */
export type Working = Pick<Acting, 'config' | 'clock' | 'actor'> & { tx: Transaction };

/** Whether a page asks for the password again before it carries the operation out. */
export type Reauthenticate<Input> = 'always' | 'never' | ((input: Input) => boolean);

/**
 * What an operation takes away: `restorable` is what somebody uses and an operator can give again, `permanent` is what no
 * operation restores. Both need a page before it, and `--yes` or `--dry-run` of the command; a permanent loss also needs the
 * password.
 */
export type Loss = 'none' | 'restorable' | 'permanent';

/** Why an operation did not happen, which each page and command words itself, or what the event ledger refused. */
export type Refusal<Code extends string = string> = { refused: Code } | { rejected: Problem };

/** How a command names what an operation acts on, and how it is found: `--account WHO`. */
export interface Target<Row> {
  option: string;
  value: string;
  help: string;
  /** @throws UsageError if there is none */
  find: (db: Queryable, text: string) => Promise<Row>;
}

export interface FieldOption {
  /** The name of the option, if it is not that of the field. */
  name?: string;
  value?: string;
  help: string;
  multiple?: true;
  mayBeEmpty?: true;
}

/** The sentence about each field: the help of its option, or more about it. */
export type FieldOptions<Fields extends z.ZodObject> = {
  [Name in keyof z.output<Fields>]-?: string | FieldOption;
};

/** An English sentence for each code of a refusal. The console has its own texts. */
export type RefusalSentences<Row, Fields extends z.ZodObject, Code extends string> = {
  [C in Code]: (row: Row, fields: z.output<Fields>) => string;
};

/**
 * An act of owners, moderators or operators that a page, a command or a file of `apply` can carry out.
 * `Row` is what it acts on; `undefined` for an operation that creates it.
 */
export interface Operation<Row, Fields extends z.ZodObject, Impact, Result, L extends Loss = Loss> {
  /** The action in the audit log. */
  name: string;
  /** What it does, as the help text of its command says it. */
  summary: string;
  /** Undefined if it creates what it acts on, or if its command finds that itself. */
  target: Target<Row> | undefined;
  /** What the audit log names: an id, and beside it the name as label. */
  subject: (row: Row, result: Done<Result>, fields: z.output<Fields>) => Required<Pick<Act, 'subject' | 'label'>>;
  /** What it needs besides the row. A problem is the second half of a sentence: `must be …`. */
  fields: Fields;
  options: FieldOptions<Fields>;
  /** Who may use its page. Commands are for operators. */
  who: 'owner' | 'moderator' | 'operator';
  loss: L;
  /** Always for a permanent loss. Others ask if they give power, or take it from other operators. */
  reauthenticate: L extends 'permanent' ? 'always' : Reauthenticate<z.output<Fields>>;
  /** The kinds of public resources (`store/game/changes.ts`) that it and the jobs that it starts may change. */
  changes: readonly ResourceKind[];
  /** What it changes or ends, for the question before it; `undefined` if the row says it. It may refuse as well. */
  impact: ((asking: Asking, row: Row, fields: z.output<Fields>) => Promise<Impact>) | undefined;
  /** In the transaction of the audit entry, which is rolled back if it refuses. */
  run: (working: Working, row: Row, fields: z.output<Fields>, impact: Done<Impact>) => Promise<Result>;
  refused: RefusalSentences<Row, Fields, CodeOf<Impact> | CodeOf<Result>>;
  /** What the audit log says beside the subject, without secrets. */
  detail: (fields: z.output<Fields>, result: Done<Result>, row: Row) => NonNullable<Act['detail']>;
}

// oxlint-disable-next-line typescript/no-explicit-any -- the operation of a list, whose types differ
export type AnyOperation = Operation<any, any, any, any>;

/** The result without refusals. */
export type Done<Result> = Exclude<Result, { refused: string } | { rejected: unknown }>;

/** The codes with which the impact or the run of an operation refuses. */
export type CodeOf<Result> = Result extends { refused: infer Code extends string } ? Code : never;

export const operation = <Row, Fields extends z.ZodObject, Impact, Result, const L extends Loss>(
  value: Operation<Row, Fields, Impact, Result, L>,
): Operation<Row, Fields, Impact, Result, L> => value;

/** What holds for an operation of operators unless it says otherwise: it takes nothing away, and refuses nothing. */
export const ofOperators = {
  target: undefined,
  who: 'operator',
  loss: 'none',
  reauthenticate: 'never',
  changes: [],
  impact: undefined,
  refused: {},
} as const;

/** A question that an operation needs if it takes something away. */
export type Question<L extends Loss, Confirm> = L extends 'none' ? { confirm?: Confirm } : { confirm: Confirm };

export const refuse = <const Code extends string>(refused: Code): { refused: Code } => ({ refused });

/** The refusal of an event, about a field: the server of an event is its name. Undefined if the event was accepted. */
export function rejection(receipt: Receipt): { rejected: Problem } | undefined {
  if (receipt.status !== 'rejected') return undefined;
  const place = receipt.place.replace(/^data\./, '').replace(/^server$/, 'name');
  return { rejected: { place, reason: receipt.reason } };
}

const isRefusal = (result: unknown): result is Refusal =>
  typeof result === 'object' && result !== null && ('refused' in result || 'rejected' in result);

/** What became of an operation. `asked`: the question before it was not confirmed. */
export type Outcome<Result, Code extends string, Shown> =
  { done: Done<Result> } | { asked: Shown } | { refused: Code } | { rejected: Problem };

/**
 * Carries an operation out and records it in the audit log, both or neither, unless it refuses. Only the impact, which may take
 * long, is read before.
 * @param question returns what to show instead (a page, a dry run), or undefined to continue
 */
export async function perform<Row, Fields extends z.ZodObject, Impact, Result, Shown = never>(
  { name, subject, impact: impactOf, run, detail }: Operation<Row, Fields, Impact, Result>,
  acting: Acting,
  row: Row,
  fields: z.output<Fields>,
  question?: (impact: Done<Impact>) => Shown | undefined | Promise<Shown | undefined>,
): Promise<Outcome<Result, CodeOf<Impact> | CodeOf<Result>, Shown>> {
  type Code = CodeOf<Impact> | CodeOf<Result>;
  const impact = await impactOf?.(acting, row, fields);
  if (isRefusal(impact)) return impact as Refusal<Code>;
  const asked = await question?.(impact as Done<Impact>);
  if (asked !== undefined) return { asked };
  const { db, config, clock, actor } = acting;
  try {
    return await db.transaction(async (tx) => {
      const result = await run({ tx, config, clock, actor }, row, fields, impact as Done<Impact>);
      if (isRefusal(result)) throw new Refused(result);
      const done = result as Done<Result>;
      const act = { action: name, ...subject(row, done, fields), detail: detail(fields, done, row) };
      await recordAudit(tx, clock.now(), actor, act);
      return { done };
    });
  } catch (error) {
    if (error instanceof Refused) return error.refusal as Refusal<Code>;
    throw error;
  }
}

/** Rolls back the transaction of an operation. */
class Refused extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super('refused');
    this.refusal = refusal;
  }
}

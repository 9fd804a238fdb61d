import { idOf } from '#platform/ids.ts';
import type { Clock } from '#platform/clock.ts';
import { exists, type Queryable, type Transactional } from '#db/db.ts';
import { list, sql } from '#db/sql.ts';
import { actorsByReceipt } from '#store/audit/audit.ts';
import { findTargets, type PunishmentTarget, type PunishmentTerms } from '#store/game/punishments.ts';
import { createWithdrawal } from '../jobs/withdrawal.ts';
import { punishmentAggregate, type PunishmentName, punishmentOfAggregate } from '../handlers/punishment-aggregate.ts';
import { readTime } from '#text/time.ts';

/** Changes of punishments by game servers and operators, from the events of the ledger, and undoing them. */

export interface PunishmentChange {
  /** The key of the event; its receipt. */
  key: number;
  type: 'punishment.issued' | 'punishment.changed' | 'punishment.revoked';
  /** When the service received the event, epoch milliseconds. */
  received: number;
  /** The key of the server key that sent the event; 0 for an operator or moderator. */
  credential: number;
  /** The key and name of the server that sent the event; 0 and null for an operator or moderator. */
  serverKey: number;
  server: string | null;
  /** The operator or moderator, from the audit log; null if the entry no longer has a name. */
  by: string | null;
  /** The punishment; undefined if its issue was withdrawn. */
  target: PunishmentTarget | undefined;
  /** The terms that the event set. */
  terms: { type?: string; level?: number; reason?: string; expires?: string | null };
  withdrawn: boolean;
}

type ChangeRow = Omit<PunishmentChange, 'by' | 'target' | 'terms' | 'withdrawn'> & {
  body: string;
  withdrawn: number | null;
  aggregate: string | null;
};

/**
 * The condition of the partial indexes `ledger_punishments` and `ledger_punishments_by_key`. It repeats their text exactly,
 * without bound values: otherwise SQLite does not use them.
 */
const IS_CHANGE = sql`l.type in ('punishment.issued', 'punishment.changed', 'punishment.revoked')`;

const SELECT = sql`
  select l.key, l.type, l.received, l.credential, l.scope_key as "serverKey", s.name as server, l.body, l.withdrawn, l.aggregate
  from ledger l left join servers s on s.key = l.scope_key`;

/** Changes with keys below `before`, newest first; with a credential only those that it sent. */
export async function listChanges(
  db: Queryable,
  { credential, since = 0, before, limit }: { credential?: number; since?: number; before: number; limit: number },
): Promise<PunishmentChange[]> {
  const sentBy = credential === undefined ? sql`` : sql`and l.credential = ${credential}`;
  const rows = await db.all<ChangeRow>(sql`
    ${SELECT} where ${IS_CHANGE} ${sentBy} and l.key < ${before} and l.received >= ${since} order by l.key desc limit ${limit}`);
  return await toChanges(db, rows);
}

/** The events of one punishment, oldest first. */
export async function punishmentHistory(db: Queryable, name: PunishmentName): Promise<PunishmentChange[]> {
  const rows = await db.all<ChangeRow>(sql`
    ${SELECT} where l.aggregate = ${punishmentAggregate(name)} order by l.key limit ${MAX_HISTORY}`);
  return await toChanges(db, rows);
}

/** Longer histories only come from a faulty plugin. */
const MAX_HISTORY = 200;

async function toChanges(db: Queryable, rows: readonly ChangeRow[]): Promise<PunishmentChange[]> {
  const names = rows.flatMap(({ aggregate }) => punishmentOfAggregate(aggregate) ?? []);
  const targets = new Map<string, PunishmentTarget>();
  for (const [scope, own] of Map.groupBy(names, (name) => name.scope)) {
    const references = [...new Set(own.map(({ reference }) => reference))];
    for (const target of await findTargets(db, scope, references)) targets.set(punishmentAggregate(target), target);
  }
  const actors = await actorsByReceipt(
    db,
    [...targets.values()].map(({ key }) => idOf(key)),
  );
  return rows.map(({ aggregate, body, withdrawn, ...row }) => ({
    ...row,
    by: row.credential === 0 ? (actors.get(idOf(row.key)) ?? null) : null,
    target: targets.get(aggregate ?? ''),
    terms: parseTerms(body),
    withdrawn: withdrawn !== null,
  }));
}

/** Leaves out names and UUIDs, which may have changed since. */
function parseTerms(body: string): PunishmentChange['terms'] {
  const { type, level, reason, expires } = JSON.parse(body) as PunishmentChange['terms'];
  return {
    ...(type !== undefined && { type }),
    ...(level !== undefined && { level }),
    ...(reason !== undefined && reason !== '' && { reason }),
    ...(expires !== undefined && { expires }),
  };
}

/** The punishment that an event is about; undefined if its issue is withdrawn. */
export async function targetOfChange(db: Queryable, key: number): Promise<PunishmentTarget | undefined> {
  const row = await db.get<Pick<ChangeRow, 'aggregate'>>(sql`
    select l.aggregate from ledger l where ${IS_CHANGE} and l.key = ${key}`);
  const name = punishmentOfAggregate(row?.aggregate ?? null);
  return name && (await findTargets(db, name.scope, [name.reference]))[0];
}

/** Adds a job that withdraws one event about a punishment. @returns its key; undefined if the event does not exist or is withdrawn */
export async function undoChange(db: Transactional, clock: Clock, key: number): Promise<number | undefined> {
  const isInForce = await exists(
    db,
    sql`select l.key from ledger l where ${IS_CHANGE} and l.key = ${key} and l.withdrawn is null`,
  );
  return isInForce ? await createWithdrawal(db, clock, { keys: [key] }, { label: 'punishments' }) : undefined;
}

/**
 * The terms that the importer of the network's punishments reported last, by reference, without later changes by others. The
 * ids of its events are the reference, or begin with it. Withdrawn events count as reported.
 */
export async function reportedTerms(
  db: Queryable,
  references: readonly string[],
): Promise<Map<string, PunishmentTerms>> {
  if (references.length === 0) return new Map();
  const aggregates = references.map((reference) => punishmentAggregate({ scope: 0, reference }));
  const rows = await db.all<Record<'aggregate' | 'event_id' | 'body', string>>(sql`
    select l.aggregate, l.event_id, l.body from ledger l
    where l.aggregate in (${list(aggregates)}) and l.scope_key = 0
      and l.type in ('punishment.issued', 'punishment.changed')
    order by l.key`);
  const reports = rows.flatMap(({ aggregate, event_id, body }) => {
    const { reference } = punishmentOfAggregate(aggregate)!;
    return event_id === reference || event_id.startsWith(`${reference}:`)
      ? [[reference, readTerms(body)] as const]
      : [];
  });
  return new Map(reports);
}

function readTerms(body: string): PunishmentTerms {
  const { type, reason, expires } = JSON.parse(body) as { type: string; reason: string; expires: string | null };
  return { type, reason, expires: expires === null ? null : readTime(expires)! };
}

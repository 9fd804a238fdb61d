import type { Db } from '#db/db.ts';
import { identifier, join, type Sql, sql } from '#db/sql.ts';
import { DEVICE_LIFETIME_MS } from '../accounts/known-devices.ts';
import { unpublishedKeys } from '../accounts/signing-keys.ts';
import { LOG_MS, OF_DELETED_WEBHOOKS, oldDeliveries } from '../applications/webhooks/deliveries.ts';
import { auditBefore } from '../audit/audit.ts';
import { deleteTombstones } from '../game/changes.ts';
import { bucketsIn, oldestRetained, periodStart } from '../game/time-buckets.ts';

/** Deletes expired rows. No response depends on it, because readers ignore expired rows. */

/** Rows per statement, so that other writers wait only briefly. */
const BATCH_SIZE = 500;
const DAY_MS = 86_400_000;
const SAMPLES_RETAINED_MS = 8 * DAY_MS;

interface PurgeRule {
  table: string;
  /** The columns of the table's key. */
  key: readonly string[];
  where: Sql;
}

export interface Retention {
  /** The time zone of the leaderboards' days. */
  zone: string;
  /** How long entries of the audit log and ended jobs are kept. */
  auditMs: number;
  /** How long the feed of changes keeps tombstones. */
  changesMs: number;
}

/** Changes one batch of rows. Returns false after the last one. */
type Step = () => Promise<boolean>;

/** Returns a function that deletes the next batch of expired rows, until it returns false. */
export function purgeSteps(db: Db, { zone, auditMs, changesMs }: Retention, now: number): Step {
  const oldAudit: PurgeRule = { table: 'audit', key: ['id'], where: auditBefore(now - auditMs) };
  const oldJobs: PurgeRule = { table: 'jobs', key: ['key'], where: sql`finished < ${now - auditMs}` };
  const rules = [expiredTokens(now), ...expired(now), oldAudit, oldJobs, ...oldPeriods(zone, now)];
  return oneAfterAnother([
    ...rules.map((rule) => () => remove(db, rule)),
    () => deleteTombstones(db, now - changesMs),
    // After the deletion of tokens, which adds hashes and ends sessions.
    () => closeFormerTokens(db, now),
    removalOfEndedSessions(db),
  ]);
}

/** The same for expired tokens alone, of which sign-ins that are started and not finished leave many. */
export function tokenPurgeSteps(db: Db, now: number): Step {
  return () => remove(db, expiredTokens(now));
}

/** Each step is repeated until it returns false. */
function oneAfterAnother(steps: Step[]): Step {
  return async () => {
    const [step] = steps;
    if (step !== undefined && !(await step())) steps.shift();
    return steps.length > 0;
  };
}

const expiredTokens = (now: number): PurgeRule => {
  return { table: 'tokens', key: ['hash', 'kind'], where: sql`expires <= ${now}` };
};

function expired(now: number): PurgeRule[] {
  return [
    { table: 'former_tokens', key: ['hash'], where: sql`until <= ${now}` },
    { table: 'rate_limits', key: ['subject'], where: sql`resets <= ${now}` },
    { table: 'throttles', key: ['subject'], where: sql`resets <= ${now}` },
    { table: 'punishment_notices', key: ['reference_hash'], where: sql`expires <= ${now}` },
    { table: 'mail_tokens', key: ['hash'], where: sql`expires <= ${now}` },
    { table: 'known_devices', key: ['account_id', 'hash'], where: sql`seen <= ${now - DEVICE_LIFETIME_MS}` },
    { table: 'owner_invitations', key: ['application_key', 'account_id'], where: sql`expires <= ${now}` },
    { table: 'signing_keys', key: ['kid'], where: unpublishedKeys(now) },
    { table: 'link_codes', key: ['account_id'], where: sql`expires <= ${now}` },
    { table: 'used_challenges', key: ['hash'], where: sql`expires <= ${now}` },
    { table: 'pending_sign_ins', key: ['hash'], where: sql`expires <= ${now}` },
    { table: 'factor_codes', key: ['account_id'], where: sql`expires <= ${now}` },
    { table: 'factor_mail_codes', key: ['session_hash'], where: sql`expires <= ${now}` },
    { table: 'usage', key: ['application_key', 'hour', 'endpoint'], where: sql`hour < ${now - SAMPLES_RETAINED_MS}` },
    { table: 'webhook_deliveries', key: ['webhook_key', 'number'], where: oldDeliveries(now - LOG_MS) },
    { table: 'webhook_deliveries', key: ['webhook_key', 'number'], where: OF_DELETED_WEBHOOKS },
    { table: 'console_sessions', key: ['hash'], where: sql`expires <= ${now}` },
    { table: 'live_matches', key: ['server_key'], where: sql`received < ${now - SAMPLES_RETAINED_MS}` },
    {
      table: 'unreported_matches',
      key: ['server_key', 'started'],
      where: sql`received < ${now - SAMPLES_RETAINED_MS}`,
    },
    { table: 'online_samples', key: ['time'], where: sql`time < ${now - SAMPLES_RETAINED_MS}` },
  ];
}

/** Sets the end of the day for which the hash of a deleted token is kept. */
async function closeFormerTokens(db: Db, now: number): Promise<boolean> {
  const batch = sql`
    update former_tokens set until = ${now + DAY_MS}
    where hash in (select hash from former_tokens where until is null limit ${BATCH_SIZE})`;
  return (await change(db, batch)) === BATCH_SIZE;
}

/** A session whose row in `tokens` is deleted. */
const ENDED = sql`not exists (select 1 from tokens t where t.uid_hash = s.uid_hash and t.kind = 'Session')`;

/**
 * Deletes the sessions whose token is gone. No index finds them: each step reads the next sessions, and takes the lock of
 * writers only if one of them has ended.
 */
function removalOfEndedSessions(db: Db): Step {
  let after = '';
  return async () => {
    const page = sql`(select uid_hash from account_sessions where uid_hash > ${after} order by uid_hash limit ${BATCH_SIZE}) s`;
    const next = sql`
      select max(s.uid_hash), count(*), sum(case when ${ENDED} then 1 else 0 end) from ${page}`;
    const [last, read, ended] = (await db.tuple(next)) as [string, number, number];
    const removal = sql`delete from account_sessions where uid_hash in (select s.uid_hash from ${page} where ${ENDED})`;
    if (ended > 0) await change(db, removal);
    after = last;
    return read === BATCH_SIZE;
  };
}

/** Leaderboards, and who read the data of accounts, which is kept for as many days. */
function oldPeriods(zone: string, now: number): PurgeRule[] {
  const retained = oldestRetained(bucketsIn(zone), now);
  const boards = Object.entries(retained).flatMap(([period, oldest]) => {
    const isOld = (bucket: Sql): Sql => sql`${bucket} >= ${periodStart(period as 'day')} and ${bucket} < ${oldest}`;
    return [
      { table: 'boards', key: ['bucket', 'mode', 'player_key'], where: isOld(sql`bucket`) },
      { table: 'place_counts', key: ['board', 'mode', 'counter', 'level', 'bucket'], where: isOld(sql`board`) },
    ];
  });
  const reads = { table: 'account_reads', key: ['account_id', 'day', 'application_key'] };
  return [...boards, { ...reads, where: sql`day < ${retained.day}` }];
}

async function remove(db: Db, { table, key, where }: PurgeRule): Promise<boolean> {
  const columns = join(key.map(identifier));
  const batch = sql`
    delete from ${identifier(table)} where (${columns}) in (select ${columns} from ${identifier(table)} where ${where} limit ${BATCH_SIZE})`;
  return (await change(db, batch)) === BATCH_SIZE;
}

/** Rows that a power failure brings back are changed by the next purge. */
const change = (db: Db, batch: Sql): Promise<number> => db.transaction((tx) => tx.run(batch), { durable: false });

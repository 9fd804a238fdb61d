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

/** Returns a function that deletes the next batch of expired rows, until it returns false. */
export function purgeSteps(db: Db, { zone, auditMs, changesMs }: Retention, now: number): () => Promise<boolean> {
  const oldAudit: PurgeRule = { table: 'audit', key: ['id'], where: auditBefore(now - auditMs) };
  const oldJobs: PurgeRule = { table: 'jobs', key: ['key'], where: sql`finished < ${now - auditMs}` };
  const rules = [expiredTokens(now), ...expired(now), oldAudit, oldJobs, ...oldLeaderboards(zone, now)];
  return async () => {
    if (await removeBatch(db, rules)) return true;
    if (await deleteTombstones(db, now - changesMs)) return true;
    await closeFormerTokens(db, now);
    return false;
  };
}

/** The same for expired tokens alone, of which sign-ins that are started and not finished leave many. */
export function tokenPurgeSteps(db: Db, now: number): () => Promise<boolean> {
  const rules = [expiredTokens(now)];
  return () => removeBatch(db, rules);
}

/** Applies the first rule, which is removed when it has no more rows. Returns false if there is none. */
async function removeBatch(db: Db, rules: PurgeRule[]): Promise<boolean> {
  const [rule] = rules;
  if (rule !== undefined && (await remove(db, rule)) < BATCH_SIZE) rules.shift();
  return rule !== undefined;
}

const expiredTokens = (now: number): PurgeRule => ({
  table: 'tokens',
  key: ['hash', 'kind'],
  where: sql`expires <= ${now}`,
});

function expired(now: number): PurgeRule[] {
  return [
    { table: 'former_tokens', key: ['hash'], where: sql`until <= ${now}` },
    { table: 'rate_limits', key: ['subject'], where: sql`resets <= ${now}` },
    { table: 'throttles', key: ['subject'], where: sql`resets <= ${now}` },
    { table: 'mail_tokens', key: ['hash'], where: sql`expires <= ${now}` },
    { table: 'known_devices', key: ['account_id', 'hash'], where: sql`seen <= ${now - DEVICE_LIFETIME_MS}` },
    { table: 'owner_invitations', key: ['application_key', 'account_id'], where: sql`expires <= ${now}` },
    { table: 'signing_keys', key: ['kid'], where: unpublishedKeys(now) },
    { table: 'link_codes', key: ['account_id'], where: sql`expires <= ${now}` },
    { table: 'used_challenges', key: ['hash'], where: sql`expires <= ${now}` },
    { table: 'pending_sign_ins', key: ['hash'], where: sql`expires <= ${now}` },
    { table: 'factor_codes', key: ['account_id'], where: sql`expires <= ${now}` },
    { table: 'factor_mail_codes', key: ['session_hash'], where: sql`expires <= ${now}` },
    { table: 'account_sessions', key: ['uid_hash'], where: ENDED_SESSION },
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

/**
 * Sets the end of the day for which the hash of a deleted token is kept. Runs after the deletion of tokens, which adds
 * hashes.
 */
async function closeFormerTokens(db: Db, now: number): Promise<void> {
  await db.run(sql`update former_tokens set until = ${now + DAY_MS} where until is null`);
}

/** A session whose row in `tokens` is deleted. */
const ENDED_SESSION = sql`
  not exists (select 1 from tokens where tokens.uid_hash = account_sessions.uid_hash and tokens.kind = 'Session')`;

function oldLeaderboards(zone: string, now: number): PurgeRule[] {
  return Object.entries(oldestRetained(bucketsIn(zone), now)).map(([period, oldest]) => ({
    table: 'boards',
    key: ['bucket', 'mode', 'player_key'],
    where: sql`bucket >= ${periodStart(period as 'day')} and bucket < ${oldest}`,
  }));
}

async function remove(db: Db, { table, key, where }: PurgeRule): Promise<number> {
  const columns = join(key.map(identifier));
  const batch = sql`
    delete from ${identifier(table)} where (${columns}) in (select ${columns} from ${identifier(table)} where ${where} limit ${BATCH_SIZE})`;
  // Rows that a power failure brings back are deleted by the next purge.
  return await db.transaction((tx) => tx.run(batch), { durable: false });
}

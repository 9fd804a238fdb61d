import { secretHash } from '#platform/crypto/secrets.ts';
import type { Db } from '#db/db.ts';
import { openDb } from '#db/open.ts';
import { insertAll } from '#db/sql.ts';
import { projectMatches } from '#store/game/leaderboards/leaderboard-projection.ts';
import { type Account, createAccount } from '#store/accounts/accounts.ts';
import { recordChanges } from '#store/game/changes.ts';
import { Keys } from '#store/sequence.ts';
import { bucketsIn, oldestRetained } from '#store/game/time-buckets.ts';

const ROWS_A_BATCH = 2_000;

const TOKENS = 'insert into tokens (hash, kind, payload, uid_hash, expires) values';
const SESSIONS = 'insert into account_sessions (uid_hash, account_id, created, seen, address, agent) values';

/**
 * Stores rows that the purge deletes: of an old leaderboard day, and as many expired counters, expired tokens and old
 * tombstones; and as many live sessions of one account, among which the purge looks for ended ones.
 */
export async function storeOldRows(url: string, count: number): Promise<void> {
  await using db = await openDb(url, { keyedHash: secretHash });
  await storeDay(db, oldestRetained(bucketsIn('UTC'), Date.now()).day - 1, count);
  const account = { name: 'Often', email: 'often@loadtest.example', password: null, email_verified: true };
  const { id } = (await createAccount(db, Date.now(), account)) as Account;
  for (const numbers of batches(count)) {
    const counters = numbers.map((n) => [`address:${n}`, 1, 1]);
    const expired = numbers.map((n) => [`expired ${n}`, 'AccessToken', '', null, 1]);
    const live = numbers.map((n) => [`live ${n}`, 'Session', '', `session ${n}`, Number.MAX_SAFE_INTEGER]);
    const sessions = numbers.map((n) => [`session ${n}`, id, 1, 1, '', '']);
    await db.runAll([
      ...insertAll('insert into rate_limits (subject, used, resets) values', counters),
      ...insertAll(TOKENS, [...expired, ...live]),
      ...insertAll(SESSIONS, sessions),
    ]);
    await db.transaction(async (tx) => {
      await Keys.lock(tx);
      // No record has so small a key.
      await recordChanges(
        tx,
        numbers.map((n) => ({ kind: 'match', key: n + 1, type: 'withdrawn' })),
        1,
      );
    });
  }
}

/** Stores a leaderboard day with this number of players. */
async function storeDay(db: Db, bucket: number, players: number): Promise<void> {
  for (const numbers of batches(players)) {
    // Players have different places in each order of a leaderboard.
    const rows = numbers.map((n) => [bucket, 'total', n, (n * 7_919) % 10_007, (n * 104_729) % 5_003, n % 997, 1, 1]);
    await db.runAll(
      insertAll('insert into boards (bucket, mode, player_key, play, win, kill, death, time) values', rows),
    );
  }
}

function* batches(count: number): Generator<number[]> {
  for (let first = 0; first < count; first += ROWS_A_BATCH)
    yield Array.from({ length: Math.min(ROWS_A_BATCH, count - first) }, (_, index) => first + index);
}

/** Stores a leaderboard day that is retained, and one that the purge of the next night deletes. */
export async function storeNight(url: string, players: number): Promise<void> {
  await using db = await openDb(url, { keyedHash: secretHash });
  const buckets = bucketsIn('UTC');
  // Its first run deletes all days.
  await projectMatches(db, 'UTC', Date.now());
  await storeDay(db, buckets(Date.now()).day, players);
  await storeDay(db, oldestRetained(buckets, Date.now()).day - 1, players);
}

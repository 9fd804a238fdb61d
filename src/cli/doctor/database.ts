import { existsSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { mailServerOf } from '#platform/mail/mail.ts';
import { existingSecret, keyedHashUnder, secretKeyOf } from '#platform/crypto/secret-key.ts';
import type { Config } from '#platform/config/config.ts';
import { type Db, getValue } from '#db/db.ts';
import { latestMigration, schemaVersion } from '#db/migrate.ts';
import { countServiceProcesses } from '#db/postgres/service-sessions.ts';
import { openDb } from '#db/open.ts';
import { UsageError } from '#platform/errors.ts';
import { withoutPassword } from '#platform/config/postgres-url.ts';
import { isPostgresUrl, sqliteFileOf } from '#platform/config/setting.ts';
import { sql } from '#db/sql.ts';
import { readFeed } from '#store/game/changes.ts';
import { healthOf } from '#store/installation/health.ts';
import { checkWritable } from '#store/installation/writable.ts';
import { hasOtherSecretKey } from '#store/installation/installation.ts';
import { type Finding, type Found, type OpenInstallation, ok, problem, reasonOf, warning } from './finding.ts';

const CHECK = 'database';
const SLOW_MS = 100;
const CLOCK_TOLERANCE_MS = 5_000;

/** Opens an existing database, without migrating it. A SQLite file that does not exist is not created. */
export async function openExisting(config: Config): Promise<{ db: Db } | { finding: Finding }> {
  const url = config.DATABASE_URL;
  const file = sqliteFileOf(url);
  if (file !== undefined && !existsSync(file))
    return {
      finding: warning(
        CHECK,
        `There is no database at ${file} yet.`,
        'The first start creates it. If you expected one, DATABASE_URL or the working folder is wrong.',
      ),
    };
  try {
    const db = await openDb(url, {
      keyedHash: keyedHashUnder(config).keyedHash,
      timeoutMs: config.DATABASE_TIMEOUT * 1000,
      prepared: config.DATABASE_PREPARED === 'on',
    });
    await db.all(sql`select 1 as one`);
    return { db };
  } catch (error) {
    return {
      finding: problem(
        CHECK,
        // A refusal is a sentence already, which names what cannot be opened.
        error instanceof UsageError ? error.message : `${withoutPassword(url)} cannot be opened: ${reasonOf(error)}.`,
        isPostgresUrl(url)
          ? 'Check that PostgreSQL runs, that DATABASE_URL has its host, user and password, and that pg_hba.conf lets this machine in.'
          : 'Run the doctor as the user of the service, who must own the file and its folder.',
      ),
    };
  }
}

/** Checks the schema, the secret key, the speed and the clock of an open database. */
export async function checkDatabase({ config, db, now }: OpenInstallation): Promise<Found> {
  const schema = await checkSchema(db);
  if (schema !== undefined) return schema;
  const { answer_ms, last_event } = await healthOf(db, {
    now,
    since: now - config.PRESENCE_TIMEOUT * 1000,
    mailServer: mailServerOf(config),
  });
  const speed = `${db.dialect === 'sqlite' ? 'SQLite' : 'PostgreSQL'} answers in ${answer_ms.toFixed(1)} ms`;
  return [
    answer_ms < SLOW_MS
      ? ok(CHECK, `${speed}; the schema is up to date.`)
      : warning(CHECK, `${speed}.`, 'Look for a slow disk or network, or for another program that uses it.'),
    await checkSecretKey(db, config),
    await checkClock(db, now, last_event),
    await checkWritable(db).then(() => undefined, unwritable),
    await checkCounters(db, config),
    await checkFeed(db),
  ];
}

const unwritable = (error: unknown): Finding =>
  error instanceof UsageError
    ? problem(CHECK, error.message, 'Until then every write gets 503, and the service does not start again.')
    : problem(
        CHECK,
        `It cannot be written: ${reasonOf(error)}.`.replace('..', '.'),
        'Free disk space, or set DATABASE_URL to the database that takes writes (on PostgreSQL the primary).',
      );

/** An upgrade leaves the resources of the former version to a job. */
async function checkFeed(db: Db): Promise<Found> {
  if ((await readFeed(db)).isFilled) return [];
  return warning(
    CHECK,
    'The feed of changes does not have all matches, players and maps of the former version yet: `/v1/changes` answers 503.',
    'The running service adds them; look again in some minutes.',
  );
}

/** Each process would count rate limits for itself. */
async function checkCounters(db: Db, { COUNTERS }: Config): Promise<Found> {
  if (db.dialect !== 'postgres' || COUNTERS === 'database') return [];
  const processes = await countServiceProcesses(db);
  if (processes < 2) return [];
  return problem(
    'settings',
    `${processes} processes serve this database with COUNTERS=memory: each counts the rate limits for itself.`,
    'Set COUNTERS=database for every process: docs/scaling.md.',
  );
}

async function checkSchema(db: Db): Promise<Finding | undefined> {
  const applied = await appliedMigration(db);
  const known = latestMigration();
  if (applied === known) return undefined;
  const newer = `A newer version has used the database: it is at migration ${applied}, this version knows ${known}`;
  if (applied > known && (await isUsable(db)))
    return warning(CHECK, `${newer}, and may use it.`, 'Start the newer version in every process.');
  if (applied > known)
    return problem(CHECK, `${newer}.`, 'Start the newer version, or restore a backup from before the upgrade.');
  return warning(
    CHECK,
    `The database is at migration ${applied} of ${known}.`,
    'The next start migrates it. Take a backup before.',
  );
}

/** Whether this version may use a database that a newer one has migrated. */
const isUsable = (db: Db): Promise<boolean> =>
  schemaVersion(db).then(
    () => true,
    () => false,
  );

const appliedMigration = (db: Db): Promise<number> =>
  getValue<number>(db, sql`select number from migrations order by number desc limit 1`).then(
    (number) => number ?? 0,
    () => 0,
  );

async function checkSecretKey(db: Db, config: Config): Promise<Finding> {
  const secret = existingSecret(config);
  if (secret !== undefined && !(await hasOtherSecretKey(db, secretKeyOf(secret))))
    return ok('secret key', 'It belongs to this database.');
  return problem(
    'secret key',
    'It is not the key that this database was used with: signing keys and link codes cannot be read.',
    'Put the former secret.key, or the former value of SECRET_KEY, back.',
  );
}

async function checkClock(db: Db, now: number, lastEvent: number | null): Promise<Found> {
  const remedy = 'Set the clock by NTP: timedatectl set-ntp true.';
  const findings: Finding[] = [];
  if (lastEvent !== null && lastEvent > now + CLOCK_TOLERANCE_MS)
    findings.push(
      problem('clock', `The newest event was received at ${new Date(lastEvent).toISOString()}, in the future.`, remedy),
    );
  if (db.dialect === 'postgres') {
    const started = performance.now();
    const there = await getValue<number>(
      db,
      sql`select cast(extract(epoch from clock_timestamp()) * 1000 as double precision)`,
    );
    const difference = Math.abs(there! - (Date.now() - (performance.now() - started) / 2));
    if (difference > CLOCK_TOLERANCE_MS)
      findings.push(
        problem('clock', `It differs from that of PostgreSQL by ${Math.round(difference / 1000)} s.`, remedy),
      );
  }
  return findings;
}

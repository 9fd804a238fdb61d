import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { freePorts } from '#test/support/ports.ts';
import type { LoadTestOptions } from '../options.ts';
import type { Report } from '../report.ts';
import { databases, dialectsOf } from '../support/databases.ts';
import { prepare } from '../support/prepare.ts';
import { followLiteBans, importAdvancedBan, importCommunity, importLiteBans, importPlan } from './imports.ts';
import { findMariaDb, startMariaDb } from './mariadb.ts';
import { importOverTls } from './tls.ts';

export const PARTS = ['litebans', 'tls', 'advancedban', 'community', 'plan'];

/** Imports punishments from a real MariaDB: LiteBans with 100,000 rows, once and followed, AdvancedBan, Community, Plan, and TLS. */
export async function runLoadTest({ database, wants }: LoadTestOptions, report: Report): Promise<void> {
  const programs = findMariaDb();
  report.add('MariaDB (Debian: mariadb-server)', programs?.server ?? 'missing', programs !== undefined);
  if (programs === undefined) return;
  // Not in a private folder of root, which the user of MariaDB could not enter.
  const folder = await mkdtemp(join('/tmp', 'scorehall-databases-'));
  try {
    const [port] = await freePorts(1);
    await using mariadb = await startMariaDb(programs, folder, port!);
    report.note('version', mariadb.version.replace(/^.*Ver /, ''));
    for (const dialect of dialectsOf(database)) {
      report.note('database of Scorehall', dialect);
      await using created = await databases(dialect);
      const source = { mariadb, url: await created.create(), name: `bans_${dialect}` };
      await prepare(source.url, 0);
      if (wants('litebans')) {
        await importLiteBans(source, report);
        await followLiteBans(source, report);
      }
      if (wants('tls')) {
        // A separate database, because the events of the other import from Community have the same ids.
        const url = await created.create();
        await prepare(url, 0);
        await importOverTls({ mariadb, url, name: `tls_${dialect}` }, folder, report);
      }
      if (wants('advancedban')) await importAdvancedBan({ ...source, name: `advanced_${dialect}` }, report);
      if (wants('community')) await importCommunity({ ...source, name: `community_${dialect}` }, report);
      if (wants('plan')) {
        // A separate database, because its servers must be new.
        const url = await created.create();
        await prepare(url, 0);
        await importPlan({ mariadb, url, name: `plan_${dialect}` }, report);
      }
    }
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

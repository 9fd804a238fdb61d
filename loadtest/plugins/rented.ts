import { parse } from 'yaml';
import { mkdir } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { openDb } from '#db/open.ts';
import { sql } from '#db/sql.ts';
import { secretHash } from '#platform/crypto/secrets.ts';
import type { Report } from '../report.ts';
import { prepare } from '../support/prepare.ts';
import { serveProcess } from '../support/served-process.ts';
import type { JavaDriver } from './java.ts';
import { printedBlock } from './printed.ts';

/** What the driver plays: events by type. */
const ALL = { 'player.login': 4, 'player.logout': 4, 'match.finished': 1, 'server.presence': 1 };
const WITHOUT_PLAYERS = { 'match.finished': 1 };

/** Plugins on a host without a second process, with the lines of config.yml that docs/connect.md prints. */
export async function checkRented(
  create: () => Promise<string>,
  folder: string,
  driver: JavaDriver,
  report: Report,
): Promise<void> {
  for (const [index, reportPlayers] of [true, false].entries()) {
    const database = await create();
    const [key] = (await prepare(database, 1)) as [string];
    const service = await serveProcess(database);
    const printed = parse(printedBlock('A rented server', 'yaml')) as Record<string, string>;
    const settings = {
      ...printed,
      key: printed['key']!.replace('shk_…', key),
      url: printed['url']!.replace('https://ingest.example.org', `http://127.0.0.1:${service.ingest}`),
      'api-url': printed['api-url']!.replace('https://api.example.org', `http://127.0.0.1:${service.api}`),
      'report-players': String(reportPlayers),
    };
    try {
      const own = `${folder}-${index}`;
      await mkdir(own, { recursive: true });
      await driver.run('rented', own, ...Object.entries(settings).map(([name, value]) => `${name}=${value}`));
      const types = await typesOf(database);
      const expected = reportPlayers ? ALL : WITHOUT_PLAYERS;
      report.add(
        `a rented server, report-players: ${reportPlayers}`,
        JSON.stringify(types),
        isDeepStrictEqual(types, expected),
      );
    } finally {
      await service.kill('SIGTERM');
    }
  }
}

async function typesOf(database: string): Promise<Record<string, number>> {
  await using db = await openDb(database, { keyedHash: secretHash });
  const [matches] = await db.all<{ count: number }>(sql`select count(*) as count from matches`);
  const [presence] = await db.all<{ count: number }>(sql`select count(*) as count from presence`);
  const sessions = await db.all<{ login: number; count: number }>(
    sql`select login, count(*) as count from player_sessions group by login order by login desc`,
  );
  const counts = {
    'player.login': sessions.find(({ login }) => login === 1)?.count ?? 0,
    'player.logout': sessions.find(({ login }) => login === 0)?.count ?? 0,
    'match.finished': matches!.count,
    'server.presence': presence!.count,
  };
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
}

import { secretHash } from '#platform/crypto/secrets.ts';
import type { Db } from '#db/db.ts';
import { openDb } from '#db/open.ts';
import { migrate } from '#db/migrate.ts';
import { sql } from '#db/sql.ts';
import { systemClock } from '#platform/clock.ts';
import { ingestEvents } from '#events/ingest/ingest-events.ts';
import { type Application, createApplication, setLimit } from '#store/applications/applications.ts';
import { issueClientToken } from '#store/applications/tokens.ts';
import { createServerKey } from '#store/game/server-keys.ts';

/** Migrates a database and creates `count` servers; returns a key of each. */
export async function prepare(url: string, count: number): Promise<string[]> {
  await using db = await openDb(url, { keyedHash: secretHash });
  await migrate(db);
  const time = new Date().toISOString();
  const events = Array.from({ length: count }, (_, number) => ({
    version: 1,
    id: `server-${number}`,
    type: 'server.configured',
    time,
    server: `Server ${number}`,
    data: { region: 'eu' },
  }));
  await ingestEvents(db, systemClock, { kind: 'operator' }, events);
  const servers = await db.all<{ key: number }>(sql`select key from servers order by key`);
  const keys: string[] = [];
  for (const { key } of servers) keys.push(await createServerKey(db, Date.now(), key));
  return keys;
}

const DAY_MS = 86_400_000;

/** Creates an application; returns an access token of it with a practically unlimited rate. */
export async function createReader(url: string): Promise<string> {
  await using db = await openDb(url, { keyedHash: secretHash });
  return (await createReaderIn(db)).token;
}

/** Creates an application with a practically unlimited rate. */
export async function createReaderIn(db: Db): Promise<{ application: Application; token: string }> {
  const { application } = await createApplication(db, Date.now(), {
    name: 'Load test',
    type: 'service',
    redirect_uris: [],
    access: 'approved',
  });
  await setLimit(db, application.client_id, 100_000_000);
  return { application, token: await issueClientToken(db, Date.now(), application.client_id, DAY_MS) };
}

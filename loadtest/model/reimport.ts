import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { keyedHashOf, SecretKey } from '#platform/crypto/secret-key.ts';
import { secretHash } from '#platform/crypto/secrets.ts';
import { idOf } from '#platform/ids.ts';
import { sql } from '#db/sql.ts';
import { migrate } from '#db/migrate.ts';
import { openDb } from '#db/open.ts';
import { runJobs } from '#events/jobs/runner.ts';
import { systemClock } from '#platform/clock.ts';
import type { Databases } from '../support/databases.ts';
import { Operator } from '../support/operator.ts';
import { createReader } from '../support/prepare.ts';
import { ServedNetwork } from '../support/served-network.ts';
import { keepEvents } from './check.ts';
import { differences } from './differences.ts';
import { waitUntilCounted } from './counted.ts';
import { expectedNetwork } from './expected-network.ts';
import type { Exported } from './exported.ts';
import { ApiClient, readNetwork } from './read-network.ts';

/** Imports the export of a network into an empty one, which must have the same ids and export the same. @returns the differences */
export async function reimport(databases: Databases, url: string, operator: Operator, key: string): Promise<string[]> {
  const exported = await operator.run('export', 'events', '-');
  if (exported?.status !== 0) return [`export events failed: ${exported?.err}`];
  const copy = await databases.create();
  {
    await using db = await openDb(copy, { keyedHash: secretHash });
    await migrate(db);
  }
  const importer = new Operator({ DATABASE_URL: copy, SECRET_KEY: key });
  const file = await keepEvents(exported.out);
  try {
    const imported = await importer.run('import', 'events', file, '--json');
    if (imported?.status !== 0) return [`import events failed: ${imported?.err}${imported?.out}`];
    {
      await using db = await openDb(copy, { keyedHash: keyedHashOf(new SecretKey(key)) });
      await runJobs({ db, clock: systemClock });
    }
    const again = await importer.run('export', 'events', '-');
    const found = [
      ...differences(storedIn(exported.out), storedIn(again?.out ?? '')),
      ...differences(await idsOf(url), await idsOf(copy)),
      ...(await shownFaults(copy, again?.out ?? '', key)),
    ];
    if (found.length > 0) found.push(`The exported events: ${await keepEvents(exported.out)}`);
    return found.map((line) => `after the import: ${line}`);
  } finally {
    importer.close();
    await rm(dirname(file), { recursive: true });
    await databases.remove(copy);
  }
}

/** What a service on the imported network shows, compared with the events. */
async function shownFaults(url: string, text: string, key: string): Promise<string[]> {
  const services = new ServedNetwork(() => ({ SECRET_KEY: key }));
  await services.serve(url, 1);
  try {
    const uncounted = await waitUntilCounted(url);
    const lines = text.split('\n').filter((line) => line !== '');
    const expected = expectedNetwork(lines.map((line) => JSON.parse(line) as Exported));
    const api = new ApiClient(services.apiPorts[0]!, await createReader(url));
    return [...uncounted, ...differences(expected, await readNetwork(api, expected.players.keys()))];
  } finally {
    await services.stop();
  }
}

/** The events of the ledger by their receipts, and removals of names by their ids; the others are of the present. */
function storedIn(text: string): Record<string, unknown> {
  const events = text.split('\n').filter((line) => line !== '');
  return Object.fromEntries(
    events.flatMap((line) => {
      const event = JSON.parse(line) as Exported;
      if (event.receipt !== undefined) return [[event.receipt, event]];
      return event.type === 'player.name_removed' ? [[event.id, event]] : [];
    }),
  );
}

async function idsOf(url: string): Promise<Record<string, unknown>> {
  await using db = await openDb(url, { keyedHash: secretHash });
  const ids: Record<string, unknown> = {};
  const queries = {
    server: sql`select key, name from servers`,
    player: sql`select key, uuid, name from players`,
    'merged player': sql`select key, uuid from player_aliases where key is not null`,
    map: sql`select key, name from maps`,
    match: sql`select key from matches`,
    punishment: sql`
      select u.key, u.reference, p.uuid from punishments u join players p on p.key = u.punished_key`,
  };
  for (const [kind, query] of Object.entries(queries)) {
    for (const [key, ...facts] of await db.tuples(query)) ids[`${kind} ${idOf(key as number)}`] = facts;
  }
  return ids;
}

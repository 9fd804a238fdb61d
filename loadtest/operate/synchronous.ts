import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Report } from '../report.ts';
import { ROOT } from '../support/programs.ts';
import { type ReplicatedPostgres, STANDBY } from '../support/standby.ts';

const ATTEMPTS = 100;

/** Makes the standby synchronous with the statements of docs/scaling.md. */
export async function makeSynchronous(report: Report, { primary }: ReplicatedPostgres): Promise<void> {
  const [, statements = ''] = /^```sql\n([^]*?)^```/m.exec(readFileSync(join(ROOT, 'docs/scaling.md'), 'utf8')) ?? [];
  const [alter, reload, show] = statements.split(/(?<=;)\n/);
  await query(primary, alter!);
  await query(primary, reload!);
  let state: unknown;
  for (let attempt = 0; attempt < ATTEMPTS && state !== 'sync'; attempt++) {
    const rows = await query(primary, show!);
    state = rows.find(({ application_name: name }) => name === STANDBY)?.['sync_state'];
    await pause(100);
  }
  report.add('standby', String(state), state === 'sync');
}

/** Commits no longer wait for the standby. */
export async function makeAsynchronous({ primary }: ReplicatedPostgres): Promise<void> {
  await query(primary, 'alter system reset synchronous_standby_names');
  await query(primary, 'select pg_reload_conf()');
}

async function query(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}

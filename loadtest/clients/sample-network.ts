import assert from 'node:assert/strict';
import { ingestEvents } from '#events/ingest/ingest-events.ts';
import { fill } from '#demo/fill.ts';
import { DemoFolder } from '#demo/folder.ts';
import type { Sample } from '#demo/network/index.ts';
import { sendPresence } from '#demo/presence.ts';
import { type AppContext, openAppContext } from '#context/context.ts';
import { readConfig } from '#platform/config/config.ts';
import { systemClock } from '#platform/clock.ts';
import { openServices } from '#server/listeners.ts';
import { createReader } from '../support/prepare.ts';
import { freeServicePorts } from '../support/served-process.ts';
import { dirname } from 'node:path';

const MATCHES = 300;

export interface ServedSample extends AsyncDisposable {
  origin: string;
  /** An access token of an application with a practically unlimited rate. */
  token: string;
}

/** Fills a database with the sample network and serves its data API. */
export async function serveSampleNetwork(database: string): Promise<ServedSample> {
  await using stack = new AsyncDisposableStack();
  const { api } = await freeServicePorts();
  const origin = `http://127.0.0.1:${api}`;
  const config = readConfig({ DATABASE_URL: database, API_URL: origin, LOG_LEVEL: 'warn', PRESENCE_TIMEOUT: '3600' });
  const context = stack.use(await openAppContext(config));
  const state = { database_url: database, seed: 'clients', now: systemClock.now(), matches: MATCHES };
  const sample = await fill(context.db, new DemoFolder(dirname(database)), state, () => true);
  await sendPresence(context, sample);
  await startMatch(context, sample);
  stack.use(await openServices(context, ['API']));
  const token = await createReader(database);
  const resources = stack.move();
  return { origin, token, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

/**
 * Starts a match on the first listed server, which the calls name, because at some hours the sample network has none.
 */
async function startMatch({ db, clock }: AppContext, { servers, maps }: Sample): Promise<void> {
  const time = new Date(clock.now()).toISOString();
  const data = { map: maps[0]!.name, started: time };
  const receipts = await ingestEvents(db, clock, { kind: 'operator' }, [
    { version: 1, id: 'clients-running', type: 'match.progress', time, server: servers[0]!.name, data },
  ]);
  assert.equal(receipts[0]!.status, 'accepted');
}

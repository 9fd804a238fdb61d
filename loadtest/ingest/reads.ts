import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '#platform/clock.ts';
import { secretHash } from '#platform/crypto/secrets.ts';
import { openDb } from '#db/open.ts';
import { ingestEvents } from '#events/ingest/ingest-events.ts';
import { MAX_P99 } from '#bench/evening/figures.ts';
import type { Report } from '../report.ts';
import type { Databases } from '../support/databases.ts';
import { GameServers } from './child-process.ts';
import { serveProcess } from '../support/served-process.ts';
import { createPopulation, matchOf } from '../support/matches.ts';
import { RawClient, rawGet } from '../support/raw-client.ts';
import { createReader, prepare } from '../support/prepare.ts';

const READERS = 2;
const WINDOWS = 7;
const SECONDS = 3;
/** Lets the JIT compile the hot code and the service adapt to the load. */
const WARM_UP_S = 8;
const SENDERS = 32;
/**
 * While the machine does other work, reads may take longer than the target of a busy evening. On an idle one they take a few
 * milliseconds, whose ratio depends on the cores that the senders leave.
 */
const MAX_OF_IDLE = 2;

/** Measures reads of the data API, alone and while the ingest is saturated. */
export async function testReads(databases: Databases, report: Report): Promise<void> {
  const url = await databases.create();
  const keys = await prepare(url, SENDERS);
  const token = await fill(url);
  const services = await serveProcess(url);
  const idle = await medianP99(services.api, token);
  using servers = new GameServers();
  const writing = servers.send({ ports: [services.ingest], keys, batch: 1 });
  const busy = await medianP99(services.api, token);
  servers.stop();
  const written = await writing;
  await services.kill();
  report.note(`${databases.dialect}: matches a second while the data API is read`, Math.round(written));
  report.note(`${databases.dialect}: p99 of reads while the ingest is idle, in ms`, idle.toFixed(2));
  const maximum = Math.max(MAX_P99.API, MAX_OF_IDLE * idle);
  report.add(
    `${databases.dialect}: p99 of reads while the ingest is busy, in ms (at most ${maximum.toFixed()})`,
    busy.toFixed(2),
    busy <= maximum,
  );
}

/** The median p99 of several measurements, in ms: a single one depends on what else the machine does. */
async function medianP99(port: number, token: string): Promise<number> {
  await readFor(port, token, WARM_UP_S);
  const windows: number[] = [];
  for (let window = 0; window < WINDOWS; window++) windows.push(await readFor(port, token, SECONDS));
  return windows.sort((a, b) => a - b)[Math.floor(WINDOWS / 2)]!;
}

/** Stores matches to read; returns an access token with a practically unlimited rate. */
async function fill(url: string): Promise<string> {
  await using db = await openDb(url, { keyedHash: secretHash });
  const people = createPopulation(300);
  const matches = Array.from({ length: 500 }, () => ({ ...matchOf(people, 10, Date.now()), server: 'Server 0' }));
  await ingestEvents(db, systemClock, { kind: 'operator' }, matches);
  return await createReader(url);
}

/** @returns the 99th percentile of the response times, in ms */
async function readFor(port: number, token: string, seconds: number): Promise<number> {
  const times: number[] = [];
  const end = performance.now() + seconds * 1000;
  const request = rawGet('/v1/matches?limit=20', token);
  const read = async (): Promise<void> => {
    const client = new RawClient(port);
    while (performance.now() < end) {
      const began = performance.now();
      const response = await client.send(request);
      times.push(performance.now() - began);
      if (!response.startsWith('HTTP/1.1 200')) throw new Error(response.slice(0, 500));
      await sleep(1);
    }
    client.close();
  };
  await Promise.all(Array.from({ length: READERS }, read));
  return times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)]!;
}

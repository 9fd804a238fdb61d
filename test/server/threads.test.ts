import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmdirSync } from 'node:fs';
import type { Worker } from 'node:worker_threads';
import { readConfig } from '#platform/config/config.ts';
import { openAppContext } from '#context/context.ts';
import { openServicesInThreads } from '#server/workers.ts';
import { onSqlite } from '#test/support/context.ts';

const nextWorker = (): Promise<Worker> => new Promise((resolve) => void process.once('worker', resolve));
const endOf = (worker: Worker): Promise<void> => new Promise((resolve) => void worker.once('exit', () => resolve()));

onSqlite('a thread is started again until the database can be opened, and not after the stop', async (_, url) => {
  const settings = { DATABASE_URL: url, SITE_LISTEN: '127.0.0.1:0', INTERNAL_LISTEN: '127.0.0.1:0' };
  await using context = await openAppContext(readConfig({ ...settings, LOG_LEVEL: 'silent' }));
  const first = nextWorker();
  await using services = await openServicesInThreads(context, ['SITE']);
  const second = nextWorker();
  // A folder in place of the file.
  renameSync(url, `${url}.away`);
  mkdirSync(url);
  await (await first).terminate();
  const failing = await second;
  const third = nextWorker();
  await endOf(failing);
  rmdirSync(url);
  renameSync(`${url}.away`, url);
  const worker = await third;
  await new Promise((resolve) => void worker.once('message', resolve));
  assert.equal((await fetch(`${services.addresses.SITE!}/robots.txt`)).status, 200);
  await worker.terminate();
});

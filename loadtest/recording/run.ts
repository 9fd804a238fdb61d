import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { application, serviceToken } from '#test/support/builders.ts';
import { DIALECTS, type Dialect } from '#test/support/context.ts';
import { fillConsole } from '#test/console/world.ts';
import { openRunFolder } from '#test/support/run-folder.ts';
import type { LoadTestOptions } from '../options.ts';
import type { Report } from '../report.ts';
import { recordApi } from './api.ts';
import { recordHelp } from './commands.ts';
import { compareRecordings } from './compare.ts';
import { recordDocuments } from './documents.ts';
import { recordDump } from './dump.ts';
import { playHistory } from './history.ts';
import { watchRandomUuids } from './normalise.ts';
import { recordConsole, recordSignIn, recordSite } from './pages.ts';
import { openRecording, type Recording } from './recording.ts';
import { recordRequest } from './requests.ts';
import { openWorld } from './world.ts';

/** Plays one history and records everything that can be observed; compares it with an earlier recording. */
export async function runLoadTest({ out, compare }: LoadTestOptions, report: Report): Promise<void> {
  watchRandomUuids();
  await using folder = await openRunFolder();
  process.env['TEST_POSTGRES_URL'] = folder.postgresUrl;
  const target = resolve(out ?? (await mkdtemp(join(tmpdir(), 'scorehall-recording-'))));
  const recording = await openRecording(target);
  const commands = await recordHelp(recording);
  await recordDocuments(recording);
  for (const dialect of DIALECTS) await recordHistory(recording, dialect);
  await recordPages(recording);
  report.note('commands with their help', commands.length);
  report.note(`files in ${target}`, recording.written);
  const unlike = await compareRecordings(join(target, 'sqlite'), join(target, 'postgres'), [
    'after-events/tables/data_versions.txt',
  ]);
  report.add('files that differ between the two databases', unlike, unlike === 0);
  if (compare === undefined) return;
  const differing = await compareRecordings(resolve(compare), target);
  report.add(`files that differ from ${compare}`, differing, differing === 0);
}

async function recordHistory(recording: Recording, dialect: Dialect): Promise<void> {
  await using world = await openWorld(dialect, dialect, recording);
  const keys = await playHistory(world);
  await recordDump(recording, `${dialect}/after-events`, world.context.db);
  await recordApi(world, await tokenOf(world));
  await recordRequest(recording, `${dialect}/ingest/openapi.txt`, { origin: world.ingest, path: '/openapi.json' });
  for (const [server, token] of Object.entries(keys))
    await recordRequest(recording, `${dialect}/ingest/receipts-${server}.txt`, {
      origin: world.ingest,
      path: '/receipts?limit=1000',
      wish: { token },
    });
}

async function recordPages(recording: Recording): Promise<void> {
  await using world = await openWorld('pages', 'sqlite', recording);
  const filled = await fillConsole(world.context);
  await recordApi(world, await tokenOf(world));
  await recordSite(world);
  await recordConsole(world, filled);
  await recordSignIn(world);
}

async function tokenOf({ context }: Awaited<ReturnType<typeof openWorld>>): Promise<string> {
  const { client_id } = await application(context, { name: 'Reader', limit: 1_000_000 });
  return await serviceToken(context, client_id, 90 * 24 * 3_600_000);
}

import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DIALECTS } from '#test/support/context.ts';
import { openRunFolder } from '#test/support/run-folder.ts';
import type { LoadTestOptions } from '../options.ts';
import type { Report } from '../report.ts';
import { recordHelp } from './commands.ts';
import { compareRecordings } from './compare.ts';
import { missingCommands, missingTypes, watchRoutes } from './coverage.ts';
import { recordDocuments } from './documents.ts';
import { recordFactors } from './factors.ts';
import { watchRandomUuids } from './normalise.ts';
import { openRecording } from './recording.ts';
import { recordHistory, recordPages, recordSettings } from './worlds.ts';

/** What differs between the two databases on purpose: what commands say about the database, and versions for caches of SQLite. */
const UNLIKE = /\/tables\/data_versions\.txt$|^commands\/(config|health|doctor|backup|restore|move|vacuum)/;

export const PARTS = ['history', 'pages'];

/** Plays one history and records everything that can be observed; compares it with an earlier recording. */
export async function runLoadTest({ out, compare, wants }: LoadTestOptions, report: Report): Promise<void> {
  // Each command adds a listener, and Node would warn in the output of one of them.
  for (const stream of [process.stdout, process.stderr]) stream.setMaxListeners(0);
  watchRandomUuids();
  const routes = watchRoutes();
  await using folder = await openRunFolder();
  process.env['TEST_POSTGRES_URL'] = folder.postgresUrl;
  const target = resolve(out ?? (await mkdtemp(join(tmpdir(), 'scorehall-recording-'))));
  const recording = await openRecording(target);
  const commands = await recordHelp(recording);
  await recordDocuments(recording);
  const ran: string[][] = [];
  const types = new Set<string>();
  for (const dialect of wants('history') ? DIALECTS : []) {
    const played = await recordHistory(recording, dialect, routes);
    ran.push(...played.commands);
    for (const type of played.types) types.add(type);
  }
  if (wants('pages')) {
    const pages = await recordPages(recording, routes);
    ran.push(...pages.commands);
    await recordFactors(recording);
    await recordSettings(recording);
    for (const type of pages.types) types.add(type);
  }
  const reportMissing = (what: string, count: number, missing: string[]): void => {
    report.add(`${what}, and those without a recording`, `${count}, ${missing.length}`, missing.length === 0);
    for (const name of missing) console.log(`         ${name}`);
  };
  reportMissing('commands', commands.length, missingCommands(commands, ran));
  reportMissing('routes', routes.all().length, routes.missing());
  reportMissing('types of events', types.size, missingTypes(types));
  if (wants('history')) {
    const unlike = await compareRecordings(join(target, 'sqlite'), join(target, 'postgres'), UNLIKE);
    report.add('files that differ between the two databases', unlike, unlike === 0);
  }
  report.note(`files in ${target}`, recording.written);
  if (compare === undefined) return;
  const differing = await compareRecordings(resolve(compare), target);
  report.add(`files that differ from ${compare}`, differing, differing === 0);
}

/**
 * The report of `npm test`: each failure in full as it happens, and the costliest tests at the end. After every test the
 * counts are written to the file that TEST_COUNTS names, so that they survive a run that is interrupted.
 */
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { EventData } from 'node:test';
import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';
import { costs } from './costs.ts';

export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
  /** Whether the run ended by itself. */
  ended: boolean;
}

const MAX_OPEN_MS = 10_000;

/** Full names by test id: a subtest refers to its parent by id. */
const names = new Map<number, string>();
const counts: Counts = { passed: 0, failed: 0, skipped: 0, ended: false };
let waiting = 0;
let openTimer: NodeJS.Timeout | undefined;

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if (type === 'test:enqueue') enqueue(data);
    if (type === 'test:pass') yield pass(data);
    if (type === 'test:fail') yield fail(data);
    if (type === 'test:diagnostic') yield diagnose(data);
    if (type === 'test:pass' || type === 'test:fail') finish(data);
  }
  clearTimeout(openTimer);
  yield* costs();
  write({ ended: true });
}

function enqueue({ testId, parentId, name, nesting }: EventData.TestEnqueue): void {
  const parent = parentId === undefined ? undefined : names.get(parentId);
  names.set(testId, parent ? `${parent} › ${name}` : name);
  if (nesting > 0) return;
  waiting++;
  clearTimeout(openTimer);
}

/** Node reports a file without tests as a passed test with the file's name. */
function pass(data: EventData.TestPass): string {
  if (data.details.type === 'suite') return '';
  if (data.file && data.name === relative(process.cwd(), data.file))
    return failure(data.name, 'The file contains no test.');
  if (data.skip !== undefined || data.todo !== undefined) counts.skipped++;
  else counts.passed++;
  return '';
}

/** A test that failed only because a subtest failed is not counted again. */
function fail(data: EventData.TestFail): string {
  const { error } = data.details;
  if ('failureType' in error && error.failureType === 'subtestsFailed') return '';
  const place = data.file ? ` (${relative(process.cwd(), data.file)}:${data.line ?? 1})` : '';
  const reason = inspect(error.cause ?? error, { colors: process.stdout.isTTY, depth: 8 });
  return failure(`${names.get(data.testId) ?? data.name}${place}`, reason);
}

/** Node reports an error after the end of its test as a diagnostic only. */
function diagnose({ message }: EventData.TestDiagnostic): string {
  return message.includes('asynchronous activity after the test ended') ? failure('after a test', message) : '';
}

function failure(title: string, reason: string): string {
  counts.failed++;
  return `✖ ${title}\n${reason.replaceAll(/^/gm, '    ')}\n\n`;
}

/** Ends the process if a resource that was left open keeps it running after the last test. */
function finish({ nesting }: { nesting: number }): void {
  write({});
  if (nesting > 0 || --waiting > 0) return;
  openTimer = setTimeout(() => {
    const open = process.getActiveResourcesInfo().join(', ');
    console.error(`The tests have ended, but open resources keep the process running: ${open}`);
    process.exit(1);
  }, MAX_OPEN_MS).unref();
}

function write(change: Partial<Counts>): void {
  Object.assign(counts, change);
  const file = process.env['TEST_COUNTS'];
  if (file) writeFileSync(file, JSON.stringify(counts));
}

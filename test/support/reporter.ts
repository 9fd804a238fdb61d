/**
 * What `npm test` shows of a run: each failure in full when it happens, and where its time went. The counts go to the
 * file named by TEST_COUNTS after every test, so that they are known even of a run that breaks off.
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
  /** Whether the run came to its end. */
  ended: boolean;
}

const HELD_OPEN_MS = 10_000;

/** The tests that have begun, for their full names: a subtest knows its parent by number. */
const names = new Map<number, string>();
const counts: Counts = { passed: 0, failed: 0, skipped: 0, ended: false };
let waiting = 0;
let alarm: NodeJS.Timeout | undefined;

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if (type === 'test:enqueue') enqueue(data);
    if (type === 'test:pass') yield pass(data);
    if (type === 'test:fail') yield fail(data);
    if (type === 'test:diagnostic') yield diagnose(data);
    if (type === 'test:pass' || type === 'test:fail') finish(data);
  }
  clearTimeout(alarm);
  yield* costs();
  write({ ended: true });
}

function enqueue({ testId, parentId, name, nesting }: EventData.TestEnqueue): void {
  const parent = parentId === undefined ? undefined : names.get(parentId);
  names.set(testId, parent ? `${parent} › ${name}` : name);
  if (nesting > 0) return;
  waiting++;
  clearTimeout(alarm);
}

/** Node reports a file without a test as a test that passed and bears the file's name. */
function pass(data: EventData.TestPass): string {
  if (data.details.type === 'suite') return '';
  if (data.file && data.name === relative(process.cwd(), data.file))
    return disappoint(data.name, 'The file holds no test.');
  if (data.skip !== undefined || data.todo !== undefined) counts.skipped++;
  else counts.passed++;
  return '';
}

/** A suite or test that failed only because something within it did is not counted again. */
function fail(data: EventData.TestFail): string {
  const { error } = data.details;
  if ('failureType' in error && error.failureType === 'subtestsFailed') return '';
  const place = data.file ? ` (${relative(process.cwd(), data.file)}:${data.line ?? 1})` : '';
  const reason = inspect(error.cause ?? error, { colors: process.stdout.isTTY, depth: 8 });
  return disappoint(`${names.get(data.testId) ?? data.name}${place}`, reason);
}

/** An error that comes after its test has ended fails no test, so Node only mentions it. */
function diagnose({ message }: EventData.TestDiagnostic): string {
  return message.includes('asynchronous activity after the test ended') ? disappoint('after a test', message) : '';
}

function disappoint(title: string, reason: string): string {
  counts.failed++;
  return `✖ ${title}\n${reason.replaceAll(/^/gm, '    ')}\n\n`;
}

/** The process ends by itself after the last test; something left open would keep it for ever. */
function finish({ nesting }: { nesting: number }): void {
  write({});
  if (nesting > 0 || --waiting > 0) return;
  alarm = setTimeout(() => {
    const open = process.getActiveResourcesInfo().join(', ');
    console.error(`The tests are over, but something holds the process open: ${open}`);
    process.exit(1);
  }, HELD_OPEN_MS).unref();
}

function write(change: Partial<Counts>): void {
  Object.assign(counts, change);
  const file = process.env['TEST_COUNTS'];
  if (file) writeFileSync(file, JSON.stringify(counts));
}

/**
 * Runs the given test files in this process, without tracking promises. The test runner of Node tracks them to attribute an
 * error outside of the promise of a test, and spends a tenth of its CPU time on it. Such an error still fails the run: the
 * runner reports it as a diagnostic, and this file prints its stack and the test that runs at that time.
 *
 *   node [OPTIONS OF node --test] test/main.ts TIMEOUT_MS FILE…     as test/run.ts does, which also starts PostgreSQL
 */
import asyncHooks from 'node:async_hooks';
import { syncBuiltinESMExports } from 'node:module';
import { inspect } from 'node:util';

const { createHook } = asyncHooks;
asyncHooks.createHook = (callbacks) => createHook({ ...callbacks, trackPromises: false });
syncBuiltinESMExports();

// The runner takes `createHook` when it is first imported, which therefore must happen after the line above.
const { run } = await import('node:test');
const { measure, runningTest } = await import('./support/costs.ts');
const { default: report } = await import('./support/reporter.ts');

process.on('uncaughtExceptionMonitor', locate);
process.on('unhandledRejection', locate);
function locate(error: unknown): void {
  console.error(`An error outside of a promise of a test, during "${runningTest()}":\n${inspect(error)}`);
}

/** A test that the runner has timed out may still have to close what it opened. */
const AFTER_TIMEOUT_MS = 30_000;
const [timeout, ...files] = process.argv.slice(2);
const maxMs = Number(timeout);
const setup = (): void => measure(maxMs + AFTER_TIMEOUT_MS);
const events = run({ isolation: 'none', concurrency: 1, files, timeout: maxMs, setup });
events.on('test:summary', ({ success }) => {
  if (!success) process.exitCode = 1;
});
events.compose(report).pipe(process.stdout);

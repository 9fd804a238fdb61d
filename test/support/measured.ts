/** Loaded before the test files of a run, so that its hook precedes theirs; threads of the service load it too. */
import { isMainThread } from 'node:worker_threads';

if (isMainThread) (await import('./costs.ts')).measure();

/** Loaded before the test files, so that its hooks run before theirs. Worker threads of the service load it too. */
import { isMainThread } from 'node:worker_threads';

if (isMainThread) (await import('./costs.ts')).measure();

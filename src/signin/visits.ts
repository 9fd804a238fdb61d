import { AsyncLocalStorage } from 'node:async_hooks';
import type { Visit } from '#records/account-sessions.ts';

/** Where the request under way comes from. */
export const visits = new AsyncLocalStorage<Visit>();

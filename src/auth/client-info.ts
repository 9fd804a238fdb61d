import { AsyncLocalStorage } from 'node:async_hooks';
import type { ClientInfo } from '#store/accounts/account-sessions.ts';

/** Where the current request comes from, for code that the protocol calls without the request. */
export const clientInfo = new AsyncLocalStorage<ClientInfo>();

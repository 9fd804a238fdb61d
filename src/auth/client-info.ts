import { AsyncLocalStorage } from 'node:async_hooks';
import type { ClientInfo } from '#store/accounts/account-sessions.ts';

/** Address and user agent of the current request, for code that oidc-provider calls without the request. */
export const clientInfo = new AsyncLocalStorage<ClientInfo>();

import { AsyncLocalStorage } from 'node:async_hooks';
import type { ClientInfo } from '#store/accounts/account-sessions.ts';

export interface RequestInfo extends ClientInfo {
  /** Resolves when the response has been sent, or the connection has ended. */
  answered: Promise<void>;
}

/** Address and user agent of the current request, for code that oidc-provider calls without the request. */
export const clientInfo = new AsyncLocalStorage<RequestInfo>();

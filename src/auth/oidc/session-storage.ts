import type { AdapterPayload, InteractionResults, KoaContextWithOIDC, Provider } from 'oidc-provider';
import { newSecret, secretHash } from '#platform/crypto/secrets.ts';
import type { Db, Queryable } from '#db/db.ts';
import { type Sql, sql } from '#db/sql.ts';
import type { Clock } from '#platform/clock.ts';
import type { Config } from '#platform/config/config.ts';
import { hostCookie } from '#http/cookies.ts';
import { LIMITS } from '#http/limits.ts';
import {
  beginSession,
  endSessions,
  hasSession,
  lastSessionEnd,
  lockSignIns,
  touchSession,
} from '#store/accounts/account-sessions.ts';
import { endExcessTokens, type ownerTransactions, type TokenOwner } from '#store/applications/live-tokens.ts';
import { clientInfo } from '../client-info.ts';
import { SessionEnded, type SessionMarks } from '../session-marks.ts';
import { currentRequest, errors } from './oidc-provider.ts';

/**
 * Makes oidc-provider pass `SessionMarks` between its sessions and the storage. A new id is stored in place of the one that the
 * request has found, which oidc-provider would delete first.
 */
export function markSessions({ Session }: Provider): void {
  const { IN_PAYLOAD } = Session as unknown as { IN_PAYLOAD: string[] };
  const marks: (keyof SessionMarks)[] = ['found_as', 'sign_ins_ended'];
  Object.defineProperty(Session, 'IN_PAYLOAD', { value: [...IN_PAYLOAD, ...marks] });
  Object.assign(Session.prototype, {
    resetIdentifier(this: object) {
      Object.assign(this, { id: newSecret(), touched: true });
    },
  });
}

/** Maximum tokens of a kind that an application may have for itself and for one account, and sessions of an account. */
export const maxLiveTokens = (config: Config): number => config[LIMITS.liveToken.max.application];

export interface SessionParts {
  db: Db;
  clock: Clock;
  config: Config;
}

export interface SessionRow {
  id: string;
  payload: AdapterPayload & SessionMarks;
  accountId: string;
  /** When it expires without further use; `Infinity` for never. */
  expires: number;
  insert: (expires: number) => Sql;
}

type Outcome = 'stored' | 'renewed' | 'ended';

/**
 * Stores a session with an account: a new one after a sign-in only, and one that the request has found only if it has not ended
 * since. Otherwise a request under way would bring back a session that another one has ended.
 * @throws errors.LoginRequired if it has ended; outside a request to oidc-provider `SessionEnded`, also if it has a new id
 */
export async function storeSession(
  { db, clock, config }: SessionParts,
  transact: ReturnType<typeof ownerTransactions>,
  { id, payload, accountId, expires, insert }: SessionRow,
): Promise<void> {
  const now = clock.now();
  const { uid = '', found_as, sign_ins_ended = signInOfRequest() } = payload;
  const end = Math.min(expires, await lastSessionEnd(db.shortReads, uid, now));
  const request = clientInfo.getStore() ?? { address: '', agent: '' };
  const owner: TokenOwner = { kind: 'Session', clientId: null, accountId };
  const write = async (tx: Queryable): Promise<Outcome> => {
    const isSignIn = sign_ins_ended !== undefined;
    if (isSignIn && !(await lockSignIns(tx, { id: accountId, sign_ins_ended }))) return 'ended';
    if (found_as === undefined && !isSignIn) return 'ended';
    const row = insert(end);
    if ((await tx.run(found_as === undefined ? row : replaceSession(found_as, id, payload, end))) === 0)
      return (await hasSession(tx, uid, accountId)) ? 'renewed' : 'ended';
    await tx.run((isSignIn ? beginSession : touchSession)(uid, accountId, now, request));
    if (isSignIn) await endExcessTokens(tx, owner, secretHash(id), maxLiveTokens(config));
    return 'stored';
  };
  let outcome: Outcome = 'ended';
  await transact({ owner, durable: true, work: async (tx) => void (outcome = await write(tx)) });
  settle(outcome);
}

/** `sign_ins_ended` in the result of the sign-in page whose interaction the request resumes. */
function signInOfRequest(): number | undefined {
  const result = currentRequest()?.oidc?.result as InteractionResults | undefined;
  return result?.login?.['sign_ins_ended'] as number | undefined;
}

/** The statement that stores a session in place of what a request has found, under its id or a new one. */
export function replaceSession(foundAs: string, id: string, payload: AdapterPayload, expires: number | null): Sql {
  const { accountId } = payload;
  return sql`
    update tokens set hash = ${secretHash(id)}, payload = ${sessionText(payload)}, account_id = ${accountId ?? null},
      expires = ${expires}, opener = ${accountId === undefined ? sql`opener` : sql`null`}
    where hash in (${secretHash(foundAs)}, ${secretHash(id)}) and kind = 'Session'`;
}

/** A session as it is stored. */
function sessionText({ jti, found_as, sign_ins_ended, ...payload }: AdapterPayload & SessionMarks): string {
  return JSON.stringify(payload);
}

/** Requests whose session has got another id since they began: their cookie must not replace the one with that id. */
const overtaken = new WeakSet<object>();

function settle(outcome: Outcome): void {
  if (outcome === 'stored') return;
  const request = currentRequest();
  if (request === undefined) throw new SessionEnded();
  if (outcome === 'ended') throw new errors.LoginRequired('the session has ended');
  overtaken.add(request);
}

/** Takes the session's cookie out of an answer whose session has got another id meanwhile. */
export function dropOvertakenCookie(ctx: KoaContextWithOIDC, secure: boolean): void {
  if (!overtaken.has(ctx)) return;
  const name = `${hostCookie('session', secure)}=`;
  const cookies = [ctx.response.get('set-cookie')].flat();
  ctx.set(
    'set-cookie',
    cookies.filter((cookie) => !cookie.startsWith(name)),
  );
}

/** Ends the session of the request, under whatever id it is stored now. */
export async function destroySession({ db }: SessionParts, id: string): Promise<void> {
  const { uid, accountId } = currentRequest()?.oidc?.session ?? {};
  if (uid === undefined || accountId === undefined)
    await db.run(sql`delete from tokens where hash = ${secretHash(id)} and kind = 'Session'`);
  else await db.transaction((tx) => endSessions(tx, accountId, { only: secretHash(uid) }));
}

import { hkdfSync } from 'node:crypto';
import type { Adapter, AdapterPayload, InteractionResults } from 'oidc-provider';
import { seal, unseal } from '#platform/crypto/seal.ts';
import { secretHash } from '#platform/crypto/secrets.ts';
import type { Config } from '#platform/config/config.ts';
import type { Db, Queryable } from '#db/db.ts';
import type { GroupWriter } from '#db/group-writer.ts';
import { type Sql, sql } from '#db/sql.ts';
import { applicationByClientId, readSecretHashes } from '#store/applications/applications.ts';
import {
  endExcessRequests,
  endExcessTokens,
  ownerTransactions,
  type TokenOwner,
} from '#store/applications/live-tokens.ts';
import { suspensionReason } from '#store/applications/suspension.ts';
import { countInteraction, countToken, type LimitParts, type Opener } from './rate-limits.ts';
import { familyHash } from './refresh-tokens.ts';
import { clientMetadata, SuspendedApplication } from './clients.ts';
import { errors, currentRequest } from './oidc-provider.ts';
import { outageAwareAdapter } from './outage.ts';
import type { SessionMarks } from '../session-marks.ts';
import { destroySession, maxLiveTokens, replaceSession, storeSession } from './session-storage.ts';

export interface StorageParts extends LimitParts {
  db: Db;
  group: GroupWriter;
  config: Config;
}

/** oidc-provider's storage: one adapter for each of its models. Ids and secrets are stored only as hashes. */
export function createStorage(parts: StorageParts): (kind: string) => Adapter {
  const transact = ownerTransactions(parts.db);
  return (kind) =>
    outageAwareAdapter(
      kind === 'Client' ? clientAdapter(parts.db.shortReads) : new TokenAdapter(kind, parts, transact),
    );
}

interface TokenRow {
  payload: string;
  consumed: number | null;
}

/** For how long a finished step of a sign-in can be repeated by the browser, whose cookie the answer deletes. */
const REPEAT_MS = 10_000;
/** How long a sign-out without a signed-in person waits for its confirmation. */
const SIGN_OUT_MS = 3_600_000;
/** Kinds that belong to a grant and must not be created after it has been revoked. */
const GRANT_BOUND: ReadonlySet<string> = new Set(['AccessToken', 'RefreshToken', 'AuthorizationCode']);
/** Kinds with a limit; codes need none, because they live for a minute. */
const LIMITED: ReadonlySet<string> = new Set(['ClientCredentials', 'AccessToken', 'RefreshToken', 'Grant']);

class TokenAdapter implements Adapter {
  readonly #kind: string;
  readonly #parts: StorageParts;
  readonly #transact: ReturnType<typeof ownerTransactions>;

  constructor(kind: string, parts: StorageParts, transact: ReturnType<typeof ownerTransactions>) {
    this.#kind = kind;
    this.#parts = parts;
    this.#transact = transact;
  }

  async upsert(id: string, payload: AdapterPayload, expiresIn: number): Promise<void> {
    const { group, clock, config } = this.#parts;
    const opener = await countInteraction(this.#parts, this.#kind, payload);
    await this.#countToken(payload);
    const now = clock.now();
    // Each token prolongs its grant to its own end, so that the grant used last ends last.
    const lifetimeMs = (this.#kind === 'Grant' ? config.REFRESH_TOKEN_LIFETIME : expiresIn) * 1000;
    const expires = Number.isFinite(lifetimeMs) ? now + lifetimeMs : null;
    if (this.#kind === 'Session') return await this.#storeSession(id, payload, expires, opener);
    if (opener !== undefined) return await this.#storeRequest(id, payload, expires, opener);
    const statement = this.#insert(id, payload, expires);
    if (!GRANT_BOUND.has(this.#kind) && !LIMITED.has(this.#kind)) return await group.add(statement);
    // An application whose own token a power failure has lost gets 401 and asks for another one. A flush for each would
    // block the thread that answers the data API.
    const durable = this.#kind !== 'ClientCredentials';
    const { clientId = '', accountId = null } = payload;
    const owner: TokenOwner = { kind: this.#kind, clientId, accountId };
    const work = (tx: Queryable): Promise<void> => this.#store(tx, owner, statement, id, payload, expires ?? now);
    await this.#transact({ owner, durable, work });
  }

  /** Without a person only a sign-out is stored: a browser with the cookie of an ended session gets an empty one. */
  async #storeSession(
    id: string,
    payload: AdapterPayload & SessionMarks,
    expires: number | null,
    opener: Opener | undefined,
  ): Promise<void> {
    const { accountId, found_as: foundAs } = payload;
    if (accountId !== undefined) {
      const insert = (end: number): Sql => this.#insert(id, payload, end);
      const row = { id, payload, accountId, expires: expires ?? Infinity, insert };
      return await storeSession(this.#parts, this.#transact, row);
    }
    const end = this.#parts.clock.now() + SIGN_OUT_MS;
    if (foundAs !== undefined) await this.#parts.group.add(replaceSession(foundAs, id, payload, end));
    else if (opener !== undefined) await this.#storeRequest(id, payload, end, opener);
  }

  /** A sign-in that a power failure has lost is started again, so it waits for no flush. */
  async #storeRequest(id: string, payload: AdapterPayload, expires: number | null, opener: Opener): Promise<void> {
    const owner: TokenOwner = { kind: this.#kind, clientId: opener.name, accountId: null };
    const work = async (tx: Queryable): Promise<void> => {
      await tx.run(this.#insert(id, payload, expires, opener.name));
      await endExcessRequests(tx, opener.name, secretHash(id), opener.maxOpen);
    };
    await this.#transact({ owner, durable: false, work });
  }

  /** Stores a token unless its grant has been revoked, and ends the tokens that it replaces or that exceed the limit. */
  async #store(
    tx: Queryable,
    owner: TokenOwner,
    insert: Sql,
    id: string,
    { grantId }: AdapterPayload,
    expires: number,
  ): Promise<void> {
    if (grantId !== undefined && !(await lockGrant(tx, grantId, expires))) return;
    await tx.run(insert);
    if (this.#kind === 'RefreshToken') await this.#deleteUsed(tx, familyHash(id));
    if (LIMITED.has(this.#kind)) await endExcessTokens(tx, owner, secretHash(id), maxLiveTokens(this.#parts.config));
  }

  /** Deletes the refresh tokens of a family that do not work any more; `find` recognises them by their family. */
  async #deleteUsed(tx: Queryable, family: string): Promise<void> {
    await tx.run(sql`delete from tokens where family_hash = ${family} and consumed <= ${this.#graceCutoff()}`);
  }

  /** A code counts when it is issued, so that its redemption cannot be refused. Refresh tokens: see refresh-tokens.ts. */
  async #countToken({ clientId = '', accountId }: AdapterPayload): Promise<void> {
    if (this.#kind === 'ClientCredentials') await countToken(this.#parts, 'client_credentials', clientId);
    if (this.#kind === 'AuthorizationCode') await countToken(this.#parts, 'code', clientId, accountId);
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    const row = await this.#parts.db.shortReads.get<TokenRow>(sql`
      select payload, consumed from tokens
      where hash = ${secretHash(id)} and kind = ${this.#kind} and (expires is null or expires > ${this.#parts.clock.now()})`);
    if (row === undefined && this.#kind === 'RefreshToken') return await this.#findReplaced(id);
    // Only the request that finished an interaction is repeated, no page of it.
    if (this.#kind === 'Interaction' && typeof row?.consumed === 'number' && currentRequest()?.oidc?.route !== 'resume')
      return;
    const payload = row && this.#readPayload(row, id);
    return payload && { ...payload, jti: id, ...(this.#kind === 'Session' && { found_as: id }) };
  }

  /** A refresh token of a known family without a row has been replaced, so it is used. */
  async #findReplaced(id: string): Promise<AdapterPayload | undefined> {
    const now = this.#parts.clock.now();
    const row = await this.#parts.db.shortReads.get<TokenRow>(sql`
      select payload, consumed from tokens where family_hash = ${familyHash(id)} and expires > ${now} limit 1`);
    return row && { ...(JSON.parse(row.payload) as AdapterPayload), jti: id, consumed: Math.floor(now / 1000) };
  }

  async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    const row = await this.#parts.db.shortReads.get<TokenRow>(sql`
      select payload, consumed from tokens
      where uid_hash = ${secretHash(uid)} and kind = ${this.#kind} and expires > ${this.#parts.clock.now()}`);
    return row && this.#readPayload(row);
  }

  /** Used only by the device flow, which is off. */
  async findByUserCode(): Promise<undefined> {
    return undefined;
  }

  /**
   * Marks a code or refresh token as used. One conditional statement: of concurrent requests, in any number of processes,
   * exactly one succeeds. A use within the grace period does not prolong it. Any other use revokes the grant, because one
   * of the requests may be a thief's; the tokens that the first use still has to store are then refused (`lockGrant`).
   * @throws errors.InvalidGrant if it has been used before
   */
  async consume(id: string): Promise<void> {
    const { db, clock } = this.#parts;
    const used = await db.run(sql`
      update tokens set consumed = coalesce(consumed, ${clock.now()}), family_hash = ${this.#familyHash(id)}
      where hash = ${secretHash(id)} and kind = ${this.#kind} and (consumed is null or consumed > ${this.#graceCutoff()})`);
    if (used === 1) return;
    await this.#revokeGrantOf(id);
    throw new errors.InvalidGrant(
      this.#kind === 'RefreshToken' ? 'refresh token already used' : 'authorization code already consumed',
    );
  }

  /** Revokes the grant of a code or refresh token; a replaced refresh token may have no row, but its family has one. */
  async #revokeGrantOf(id: string): Promise<void> {
    const row = await this.#parts.db.get<{ grant_id: string | null }>(sql`
      select grant_id from tokens where hash = ${secretHash(id)} and kind = ${this.#kind}
      union all select grant_id from tokens where family_hash = ${this.#familyHash(id)} limit 1`);
    if (row?.grant_id) await this.#revokeGrant(row.grant_id);
  }

  /** A finished step of a sign-in can be repeated by a browser or proxy whose connection ended before the answer. */
  async destroy(id: string): Promise<void> {
    const { db, clock } = this.#parts;
    if (this.#kind === 'Session') return await destroySession(this.#parts, id);
    const row = sql`hash = ${secretHash(id)} and kind = ${this.#kind}`;
    const now = clock.now();
    await db.run(
      this.#kind === 'Interaction'
        ? sql`update tokens set consumed = ${now}, expires = ${now + REPEAT_MS} where ${row} and consumed is null`
        : sql`delete from tokens where ${row}`,
    );
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    await this.#revokeGrant(secretHash(grantId));
  }

  /** Deletes a grant and everything that belongs to it; the grant first, so that nothing can be added meanwhile. */
  async #revokeGrant(hash: string): Promise<void> {
    await this.#parts.db.transaction(async (tx) => {
      await tx.run(sql`delete from tokens where hash = ${hash} and kind = 'Grant'`);
      await tx.run(sql`delete from tokens where grant_id = ${hash}`);
    });
  }

  #insert(
    id: string,
    { jti, found_as, sign_ins_ended, ...payload }: AdapterPayload & SessionMarks,
    expires: number | null,
    opener: string | null = null,
  ): Sql {
    const { clientId = null, grantId, uid } = payload;
    const text = this.#kind === 'Interaction' ? encryptInteraction(id, payload) : JSON.stringify(payload);
    const grant = grantId === undefined || this.#kind === 'Interaction' ? null : secretHash(grantId);
    return sql`
      insert into tokens (hash, kind, payload, client_id, account_id, grant_id, uid_hash, family_hash, expires, opener)
      values (${secretHash(id)}, ${this.#kind}, ${text}, ${clientId}, ${payloadAccountId(payload)}, ${grant},
        ${uid === undefined ? null : secretHash(uid)}, ${this.#familyHash(id)}, ${expires}, ${opener})
      on conflict (hash, kind) do update set
        payload = excluded.payload, account_id = excluded.account_id, grant_id = excluded.grant_id,
        uid_hash = excluded.uid_hash, family_hash = excluded.family_hash,
        expires = case when tokens.kind = 'Grant' and tokens.expires > excluded.expires then tokens.expires
          else excluded.expires end`;
  }

  #familyHash(id: string): string | null {
    return this.#kind === 'RefreshToken' ? familyHash(id) : null;
  }

  #readPayload({ payload, consumed }: TokenRow, id = ''): AdapterPayload | undefined {
    const text = this.#kind === 'Interaction' ? unseal(interactionKey(id), payload) : payload;
    if (text === undefined) return undefined;
    const isUsed = consumed !== null && consumed <= this.#graceCutoff();
    return { ...(JSON.parse(text) as AdapterPayload), ...(isUsed ? { consumed: Math.floor(consumed / 1000) } : {}) };
  }

  /** A token consumed at or before this time counts as used; a later use is within the grace period. */
  #graceCutoff(): number {
    const { clock, config } = this.#parts;
    const graceMs = config.REFRESH_GRACE * 1000;
    return this.#kind === 'RefreshToken' && graceMs > 0 ? clock.now() - graceMs : Number.MAX_SAFE_INTEGER;
  }
}

/** The owner of a stored payload. An interaction belongs to an account once the person has signed in during it. */
function payloadAccountId({ accountId, result }: AdapterPayload): string | null {
  return accountId ?? (result as InteractionResults | undefined)?.login?.accountId ?? null;
}

/**
 * Locks the row of a grant until the transaction ends, so that it cannot be revoked meanwhile.
 * @param until the end of the token that is added; the grant lives at least as long
 * @returns false if the grant is revoked already, for example by a second use of the code that is being redeemed. Its
 * tokens are then not stored: the first use is answered, but the tokens in the response are refused.
 */
async function lockGrant(tx: Queryable, grantId: string, until: number): Promise<boolean> {
  const held = await tx.run(sql`
    update tokens set expires = case when expires > ${until} then expires else ${until} end
    where hash = ${secretHash(grantId)} and kind = 'Grant'`);
  return held === 1;
}

/** An interaction contains the cookie of a session, so it is encrypted under its own id, which only the browser has. */
function encryptInteraction(id: string, payload: object): string {
  return seal(interactionKey(id), JSON.stringify(payload));
}

function interactionKey(id: string): Buffer {
  return Buffer.from(hkdfSync('sha256', id, 'scorehall', 'interaction', 32));
}

/** Routes that still work for a suspended application, because they grant nothing. */
const ALLOWED_WHEN_SUSPENDED: ReadonlySet<string> = new Set(['end_session', 'end_session_confirm', 'revocation']);

/** Read-only: applications are managed in the console and by commands, not through oidc-provider. */
function clientAdapter(db: Queryable): Adapter {
  const find = async (clientId: string): Promise<AdapterPayload | undefined> => {
    if (clientId.length > 64 || clientId.includes('\0')) return undefined;
    const application = await applicationByClientId(db, clientId);
    if (application === undefined) return undefined;
    const suspended = suspensionReason(application);
    if (suspended !== undefined && !ALLOWED_WHEN_SUSPENDED.has(currentRequest()?.oidc?.route ?? ''))
      throw new SuspendedApplication(suspended);
    const hashes = application.type === 'service' ? await readSecretHashes(db, application.key) : [];
    return clientMetadata(application, hashes);
  };
  const writes = { upsert: refuse, consume: refuse, destroy: refuse, revokeByGrantId: refuse };
  return { find, findByUid: none, findByUserCode: none, ...writes };
}

const none = async (): Promise<undefined> => undefined;

async function refuse(): Promise<never> {
  throw new TypeError('oidc-provider must not write applications; they are managed in the console');
}

import { hkdfSync } from 'node:crypto';
import type { Adapter, AdapterPayload, InteractionResults } from 'oidc-provider';
import { seal, unseal } from '#platform/crypto/seal.ts';
import { secretHash } from '#platform/crypto/secrets.ts';
import type { Db, Queryable } from '#db/db.ts';
import type { GroupWriter } from '#db/group-writer.ts';
import { type Sql, sql } from '#db/sql.ts';
import { touchSession } from '#store/accounts/account-sessions.ts';
import { applicationByClientId, secretHashesOf } from '#store/applications/applications.ts';
import { suspensionReason } from '#store/applications/suspension.ts';
import { type InteractionLimits, countInteraction } from './interaction-throttle.ts';
import { clientMetadata } from './clients.ts';
import { errors, requestUnderWay } from './oidc-provider.ts';
import { outageAwareAdapter } from './outage.ts';
import { clientInfo } from '../client-info.ts';

export interface StorageParts extends InteractionLimits {
  group: GroupWriter;
  /** How long after its use a refresh token still counts as unused. */
  graceMs: number;
}

/** oidc-provider's storage: one adapter a kind of thing. Ids and secrets are stored hashed, never as they are. */
export function storageOf(parts: StorageParts): (kind: string) => Adapter {
  return (kind) => outageAwareAdapter(kind === 'Client' ? new Clients(parts.db) : new Tokens(kind, parts));
}

interface TokenRow {
  payload: string;
  consumed: number | null;
}

/** Kinds that hang on a grant and must not come into being once it is revoked. */
const OF_A_GRANT: ReadonlySet<string> = new Set(['AccessToken', 'RefreshToken', 'AuthorizationCode']);

class Tokens implements Adapter {
  readonly #kind: string;
  readonly #parts: StorageParts;

  constructor(kind: string, parts: StorageParts) {
    this.#kind = kind;
    this.#parts = parts;
  }

  async upsert(id: string, payload: AdapterPayload, expiresIn: number): Promise<void> {
    const { db, group, clock } = this.#parts;
    await countInteraction(this.#parts, this.#kind, payload);
    const now = clock.now();
    const statement = this.#insert(id, payload, Number.isFinite(expiresIn) ? now + expiresIn * 1000 : null);
    if (this.#kind === 'Session' && payload.accountId !== undefined) {
      const request = clientInfo.getStore() ?? { address: '', agent: '' };
      return await db.runAll([statement, touchSession(payload.uid!, payload.accountId, now, request)]);
    }
    if (!OF_A_GRANT.has(this.#kind) || payload.grantId === undefined) return await group.write(statement);
    await db.transaction(async (tx) => {
      if (await holdsGrant(tx, payload.grantId!)) await tx.run(statement);
    });
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    const row = await this.#parts.db.get<TokenRow>(sql`
      select payload, consumed from tokens
      where hash = ${secretHash(id)} and kind = ${this.#kind} and (expires is null or expires > ${this.#parts.clock.now()})`);
    const payload = row && this.#payloadOf(row, id);
    return payload && { ...payload, jti: id };
  }

  async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    const row = await this.#parts.db.get<TokenRow>(sql`
      select payload, consumed from tokens
      where uid_hash = ${secretHash(uid)} and kind = ${this.#kind} and expires > ${this.#parts.clock.now()}`);
    return row && this.#payloadOf(row);
  }

  /** Only the device flow asks this, which is off. */
  async findByUserCode(): Promise<undefined> {
    return undefined;
  }

  /**
   * Uses a code or refresh token up, in one statement: of several who try at once one succeeds, whatever the number of
   * processes.
   * @throws errors.InvalidGrant for all others
   */
  async consume(id: string): Promise<void> {
    const { db, clock } = this.#parts;
    const used = await db.run(sql`
      update tokens set consumed = ${clock.now()}
      where hash = ${secretHash(id)} and kind = ${this.#kind} and (consumed is null or consumed > ${this.#usedSince()})`);
    if (used === 0) throw new errors.InvalidGrant('already used');
  }

  async destroy(id: string): Promise<void> {
    await this.#parts.db.run(sql`delete from tokens where hash = ${secretHash(id)} and kind = ${this.#kind}`);
  }

  /** Takes everything back that hangs on a grant, and the grant with it, so that nothing can be added to it meanwhile. */
  async revokeByGrantId(grantId: string): Promise<void> {
    await this.#parts.db.transaction(async (tx) => {
      await tx.run(sql`delete from tokens where hash = ${secretHash(grantId)} and kind = 'Grant'`);
      await tx.run(sql`delete from tokens where grant_id = ${secretHash(grantId)}`);
    });
  }

  #insert(id: string, { jti, ...payload }: AdapterPayload, expires: number | null): Sql {
    const { clientId = null, grantId, uid } = payload;
    const text = this.#kind === 'Interaction' ? sealedUnder(id, payload) : JSON.stringify(payload);
    const grant = grantId === undefined || this.#kind === 'Interaction' ? null : secretHash(grantId);
    return sql`
      insert into tokens (hash, kind, payload, client_id, account_id, grant_id, uid_hash, expires)
      values (${secretHash(id)}, ${this.#kind}, ${text}, ${clientId}, ${accountOf(payload)}, ${grant},
        ${uid === undefined ? null : secretHash(uid)}, ${expires})
      on conflict (hash, kind) do update set
        payload = excluded.payload, account_id = excluded.account_id, grant_id = excluded.grant_id,
        uid_hash = excluded.uid_hash, expires = excluded.expires`;
  }

  #payloadOf({ payload, consumed }: TokenRow, id = ''): AdapterPayload | undefined {
    const text = this.#kind === 'Interaction' ? unseal(interactionKey(id), payload) : payload;
    if (text === undefined) return undefined;
    const isUsed = consumed !== null && consumed <= this.#usedSince();
    return { ...(JSON.parse(text) as AdapterPayload), ...(isUsed ? { consumed: Math.floor(consumed / 1000) } : {}) };
  }

  /** What was used up to this moment counts as used; what was used later is within its grace. */
  #usedSince(): number {
    const { clock, graceMs } = this.#parts;
    return this.#kind === 'RefreshToken' && graceMs > 0 ? clock.now() - graceMs : Number.MAX_SAFE_INTEGER;
  }
}

/** Whose a thing is. An interaction is somebody's once they have proven in it who they are. */
function accountOf({ accountId, result }: AdapterPayload): string | null {
  return accountId ?? (result as InteractionResults | undefined)?.login?.accountId ?? null;
}

/**
 * Holds a grant against being revoked until the transaction ends. Where it is revoked already, by a second use of the code
 * that is being redeemed for instance, what is given is given dead: the first use is answered, and its tokens are refused.
 */
async function holdsGrant(tx: Queryable, grantId: string): Promise<boolean> {
  const held = await tx.run(
    sql`update tokens set expires = expires where hash = ${secretHash(grantId)} and kind = 'Grant'`,
  );
  return held === 1;
}

/** An interaction holds the cookie of a session: it is read by whoever has the interaction's own id only. */
function sealedUnder(id: string, payload: object): string {
  return seal(interactionKey(id), JSON.stringify(payload));
}

function interactionKey(id: string): Buffer {
  return Buffer.from(hkdfSync('sha256', id, 'scorehall', 'interaction', 32));
}

/** What people and applications may do even when an application is stopped: nothing is given by it. */
const EVEN_SUSPENDED: ReadonlySet<string> = new Set(['end_session', 'end_session_confirm', 'revocation']);

/** Applications are the operator's and their owners': the protocol only reads them. */
class Clients implements Adapter {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  async find(clientId: string): Promise<AdapterPayload | undefined> {
    if (clientId.length > 64 || clientId.includes('\0')) return undefined;
    const application = await applicationByClientId(this.#db, clientId);
    if (application === undefined) return undefined;
    const suspended = suspensionReason(application);
    if (suspended !== undefined && !EVEN_SUSPENDED.has(requestUnderWay()?.oidc?.route ?? ''))
      throw new errors.UnauthorizedClient(suspended);
    const hashes = application.type === 'service' ? await secretHashesOf(this.#db, application.key) : [];
    return clientMetadata(application, hashes);
  }

  async upsert(): Promise<never> {
    throw new TypeError('Applications are not registered through the protocol');
  }

  async findByUid(): Promise<undefined> {
    return undefined;
  }

  async findByUserCode(): Promise<undefined> {
    return undefined;
  }

  async consume(): Promise<never> {
    return await this.upsert();
  }

  async destroy(): Promise<never> {
    return await this.upsert();
  }

  async revokeByGrantId(): Promise<never> {
    return await this.upsert();
  }
}

import { hash } from 'node:crypto';
import type { Client, Provider } from 'oidc-provider';
import { brandAssets } from '#http/assets.ts';
import { RateLimits } from '#http/rate-limits.ts';
import { openSecretKey } from '#platform/crypto/secret-key.ts';
import { groupWriter } from '#db/group-writer.ts';
import { sql } from '#db/sql.ts';
import type { AppContext } from '#context/context.ts';
import { linkPlayer } from '#store/accounts/account-changes.ts';
import { accountByPlayer, createAccount } from '#store/accounts/accounts.ts';
import { currentKeys } from '#store/accounts/signing-keys.ts';
import { ProtocolPages } from '#auth/oidc/protocol-pages.ts';
import { createProvider } from '#auth/oidc/provider.ts';
import { SCOPES } from '#auth/oidc/scopes.ts';
import { type BenchClient, REDIRECT_URI } from './client.ts';
import type { BenchRequest } from './case.ts';

/** The PKCE code verifier (RFC 7636) of all codes of the bench; it must have at least 43 characters. */
export const CODE_VERIFIER = 'a-verifier-of-the-bench-which-is-as-long-as-they-have-to-be';

const CODE_CHALLENGE = hash('sha256', CODE_VERIFIER, 'base64url');
const ACCOUNTS = 100;
/** The lifetime of a code: long enough that none expires before it is redeemed. */
const LIFETIME_S = 3600;
const SCOPE = SCOPES.join(' ');

/** The tokens for a redeemed code. */
export interface Tokens {
  access_token: string;
  id_token: string;
}

interface Parts {
  provider: Provider;
  client: Client;
  accountIds: readonly string[];
}

/** Creates authorization codes in bulk, each with its own grant, as the provider does after the user's consent. */
export class CodeMaker {
  readonly #client: BenchClient;
  #parts: Promise<Parts> | undefined;

  constructor(client: BenchClient) {
    this.#client = client;
  }

  async make(count: number): Promise<string[]> {
    const parts = await (this.#parts ??= partsOf(this.#client));
    return await Promise.all(Array.from({ length: count }, (_, place) => makeOne(parts, place)));
  }

  /** Creates codes and redeems them with the running service. */
  async redeem(origin: string, count: number, redemption: (code: string) => BenchRequest): Promise<Tokens[]> {
    const codes = await this.make(count);
    return await Promise.all(codes.map((code) => tokensOf(origin, redemption(code))));
  }
}

async function makeOne({ provider, client, accountIds }: Parts, place: number): Promise<string> {
  const accountId = accountIds[place % accountIds.length]!;
  const grant = new provider.Grant({ accountId, clientId: client.clientId });
  grant.addOIDCScope(SCOPE);
  const code = new provider.AuthorizationCode({
    client,
    accountId,
    grantId: await grant.save(),
    redirectUri: REDIRECT_URI,
    scope: SCOPE,
    codeChallenge: CODE_CHALLENGE,
    codeChallengeMethod: 'S256',
    nonce: 'bench',
    expiresIn: LIFETIME_S,
    gty: 'authorization_code',
    authTime: Math.floor(Date.now() / 1000),
  });
  return await code.save();
}

async function tokensOf(origin: string, { path, ...request }: BenchRequest): Promise<Tokens> {
  const response = await fetch(origin + path, request);
  if (!response.ok) throw new Error(`The service refuses a code: ${await response.text()}`);
  return (await response.json()) as Tokens;
}

async function partsOf({ context, clientId }: BenchClient): Promise<Parts> {
  const { config, db, clock } = context;
  const shell = { network: config.NETWORK_NAME, home: '/', assets: brandAssets(config), stylesheets: [], scripts: [] };
  const most = Number.MAX_SAFE_INTEGER;
  const unlimited: typeof config = {
    ...{ ...config, SIGN_IN_LIMIT: most, TOKEN_LIMIT: most },
    ...{ COUNTERS: 'database', REFRESH_GRACE: 0 },
  };
  const parts = {
    config: unlimited,
    db,
    clock,
    secure: false,
    group: groupWriter(db),
    limits: new RateLimits({ config: unlimited, db, clock }),
    pages: new ProtocolPages({ config, shell, db, secure: false }),
  };
  const provider = createProvider(parts, await currentKeys(db, openSecretKey(config), clock.now()));
  const client = (await provider.Client.find(clientId))!;
  return { provider, client, accountIds: await accountsOf(context) };
}

/** Accounts linked to players. They stay in the database, and the next run uses them again. */
async function accountsOf({ db, clock }: AppContext): Promise<string[]> {
  const players = await db.all<Player>(sql`select uuid, name from players order by key limit ${ACCOUNTS}`);
  const ids: string[] = [];
  for (const player of players) {
    const existing = await accountByPlayer(db, player.uuid);
    ids.push(existing?.id ?? (await createLinked({ db, clock }, player)));
  }
  return ids;
}

interface Player {
  uuid: string;
  name: string;
}

async function createLinked({ db, clock }: Pick<AppContext, 'db' | 'clock'>, player: Player): Promise<string> {
  const facts = { name: player.uuid, email: `${player.uuid}@bench.example`, email_verified: true, password: null };
  const account = await createAccount(db, clock.now(), facts);
  if (typeof account === 'string') throw new Error(`Creating an account for ${player.name} failed: ${account}.`);
  await db.transaction((tx) => linkPlayer(tx, account.id, player));
  return account.id;
}

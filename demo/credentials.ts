import { randomBytes } from 'node:crypto';
import { hashPassword, passwordMatches } from '#platform/crypto/passwords.ts';
import { secretHash } from '#platform/crypto/secrets.ts';
import type { Db } from '#db/db.ts';
import { linkPlayer, setPassword } from '#store/accounts/account-changes.ts';
import {
  type Account,
  accountByEmail,
  accountByPlayer,
  createAccount,
  passwordOf,
  type Role,
} from '#store/accounts/accounts.ts';
import {
  addSecret,
  applicationByClientId,
  createApplication,
  readSecretHashes,
} from '#store/applications/applications.ts';
import { createServerKey, findServerKey } from '#store/game/server-keys.ts';
import { serverByName } from '#store/game/servers.ts';
import { MEMBER, OPERATOR } from './network/index.ts';
import type { DemoAccount, DemoApp, DemoFacts } from './folder.ts';

type AppPlan = Omit<DemoApp, 'client_id' | 'client_secret'>;

/** One application of each type, with redirect URIs of programs on this machine. */
const APPS: readonly AppPlan[] = [
  {
    name: 'Tide Table',
    type: 'installed',
    redirect_uris: ['http://127.0.0.1/callback', 'example.gullwing.tidetable:/callback'],
  },
  { name: 'Harbour Board', type: 'web', redirect_uris: ['http://127.0.0.1:8701/callback'] },
  { name: 'Quay Herald', type: 'service', redirect_uris: ['http://127.0.0.1:8702/callback'] },
];

const PEOPLE: readonly { player: { name: string; uuid: string }; role: Role }[] = [
  { player: OPERATOR, role: 'operator' },
  { player: MEMBER, role: 'user' },
];

/** The approved applications of the demo: those of the last start (`earlier`) that still exist, otherwise new ones. */
export async function demoApps(db: Db, now: number, earlier: Partial<DemoFacts>): Promise<DemoApp[]> {
  const apps: DemoApp[] = [];
  for (const plan of APPS) {
    const known = earlier.apps?.find(({ type }) => type === plan.type);
    apps.push((known && (await existingApp(db, now, known))) ?? (await newApp(db, now, plan)));
  }
  return apps;
}

/** The application with a valid secret, or undefined if it was deleted. */
async function existingApp(db: Db, now: number, app: DemoApp): Promise<DemoApp | undefined> {
  const application = await applicationByClientId(db, app.client_id);
  if (application === undefined) return undefined;
  const current = { ...app, name: application.name, redirect_uris: application.redirect_uris };
  if (app.type !== 'service') return current;
  const hashes = await readSecretHashes(db, application.key);
  if (app.client_secret !== undefined && hashes.includes(secretHash(app.client_secret))) return current;
  return { ...current, client_secret: await db.transaction((tx) => addSecret(tx, now, application.key)) };
}

async function newApp(db: Db, now: number, plan: AppPlan): Promise<DemoApp> {
  const { application, secret } = await createApplication(db, now, { ...plan, access: 'approved' });
  const { name, type, client_id, redirect_uris } = application;
  return { name, type, client_id, ...(secret !== undefined && { client_secret: secret }), redirect_uris };
}

/** The accounts of the demo: verified, linked to their game accounts, with the password that the demo prints. */
export async function demoAccounts(db: Db, now: number, earlier: Partial<DemoFacts>): Promise<DemoAccount[]> {
  const accounts: DemoAccount[] = [];
  for (const { player, role } of PEOPLE) {
    const password = earlier.accounts?.find(({ uuid }) => uuid === player.uuid)?.password ?? newPassword();
    const account = (await existingAccount(db, player)) ?? (await newAccount(db, now, player, role, password));
    if (account.player_uuid === null) await db.transaction((tx) => linkPlayer(tx, account.id, player));
    if (!(await passwordMatches(password, await passwordOf(db, account.id)))) {
      await setPassword(db, account.id, await hashPassword(password));
    }
    accounts.push({ name: player.name, password, email: account.email, uuid: player.uuid, role: account.role });
  }
  return accounts;
}

interface Linked {
  name: string;
  uuid: string;
}

const demoEmail = ({ name }: Linked): string => `${name.toLowerCase()}@gullwing-quay.example`;

async function existingAccount(db: Db, player: Linked): Promise<Account | undefined> {
  return (await accountByPlayer(db, player.uuid)) ?? (await accountByEmail(db, demoEmail(player)));
}

async function newAccount(db: Db, now: number, player: Linked, role: Role, password: string): Promise<Account> {
  const wanted = { name: player.name, email: demoEmail(player), email_verified: true, role };
  const account = await createAccount(db, now, { ...wanted, password: await hashPassword(password) });
  if (typeof account === 'string') throw new Error(`The demo cannot create the account ${player.name}: ${account}`);
  return account;
}

function newPassword(): string {
  return randomBytes(12).toString('base64url');
}

/** The server of the demo's ingest key. */
const INGEST_SERVER = 'Lantern';

/** The ingest key of the demo: that of the last start if it is still valid, otherwise a new one. */
export async function demoIngestKey(db: Db, now: number, { ingest_key }: Partial<DemoFacts>): Promise<string> {
  if (ingest_key !== undefined && (await findServerKey(db, ingest_key, now)) !== undefined) return ingest_key;
  return await createServerKey(db, now, (await serverByName(db, INGEST_SERVER))!.key);
}

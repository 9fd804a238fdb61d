import { idOf } from '#platform/ids.ts';
import { nameKey } from '#text/text.ts';
import {
  allAs,
  exists,
  flag,
  getAs,
  getValue,
  type Queryable,
  rowReader,
  type Transactional,
  unlessTaken,
} from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { nextKey } from '../sequence.ts';

/** The names that people may choose while no game account is linked: the format of game account names. */
const SHAPE = /^[A-Za-z0-9_]{3,16}$/;

export function isNameShape(name: string): boolean {
  return SHAPE.test(name);
}

/** The name of an account whose requested name is not available. No name of a game account contains `-`. */
export function provisionalName(name: string, id: string): string {
  return `${name}-${id}`;
}

/** The name that a person asked for, which a provisional name begins with; other names as they are. */
export function requestedName(name: string): string {
  return name.split('-', 1)[0]!;
}

export function isProvisionalName(name: string): boolean {
  return name.includes('-');
}

/**
 * Checks a chosen name. The name of a player on the network is `taken`, like an account's: its owner gets it by linking the
 * game account. One result for both cases does not reveal which names have accounts.
 */
export async function nameProblem(db: Queryable, name: string): Promise<'shape' | 'taken' | undefined> {
  if (!isNameShape(name)) return 'shape';
  const key = nameKey(name);
  const holder = await db.get(sql`
    select 1 as taken from accounts where name_key = ${key}
    union all select 1 from players where name_key = ${key} limit 1`);
  return holder === undefined ? undefined : 'taken';
}

export const ROLES = ['user', 'moderator', 'operator'] as const;
export type Role = (typeof ROLES)[number];

/** A person's account. `id` is the `sub` of tokens; `name` is the name of the game account while one is linked. */
export interface Account {
  id: string;
  name: string;
  email: string;
  email_verified: boolean;
  /** The linked game account. */
  player_uuid: string | null;
  role: Role;
  locale: string;
  created: number;
  /** The time at which an operator disabled the account; null while it is active. */
  disabled: number | null;
  /** How often all its sign-ins have been ended together; see `lockSignIns`. */
  sign_ins_ended: number;
}

const toAccount = rowReader<Account>({ email_verified: flag });
const COLUMNS = sql`id, name, email, email_verified, player_uuid, role, locale, created, disabled, sign_ins_ended`;

export const accountById = (db: Queryable, id: string): Promise<Account | undefined> =>
  getAs(db, sql`select ${COLUMNS} from accounts where id = ${id}`, toAccount);

export const accountByName = (db: Queryable, name: string): Promise<Account | undefined> =>
  getAs(db, sql`select ${COLUMNS} from accounts where name_key = ${nameKey(name)}`, toAccount);

export const accountByEmail = (db: Queryable, email: string): Promise<Account | undefined> =>
  getAs(db, sql`select ${COLUMNS} from accounts where email_key = ${emailKey(email)}`, toAccount);

export const accountByPlayer = (db: Queryable, uuid: string): Promise<Account | undefined> =>
  getAs(db, sql`select ${COLUMNS} from accounts where player_uuid = ${uuid}`, toAccount);

/** The accounts that are linked to a player's game account, or to one that was merged into it. */
export async function accountsOfPlayer(db: Queryable, uuid: string): Promise<Account[]> {
  const rows = await db.all(sql`
    select ${COLUMNS} from accounts
    where player_uuid = ${uuid} or player_uuid in (select uuid from player_aliases where into_uuid = ${uuid}) order by id`);
  return rows.map(toAccount);
}

/** Finds the account of a name or an e-mail address, as entered at sign-in. */
export const accountByLogin = async (db: Queryable, text: string): Promise<Account | undefined> =>
  text.includes('@') ? await accountByEmail(db, text) : await accountByName(db, text);

/** Finds the account of an id, a name or an e-mail address, as entered by operators. */
export const findAccount = async (db: Queryable, text: string): Promise<Account | undefined> =>
  (await accountById(db, text)) ?? (await accountByLogin(db, text));

export const listAccounts = (db: Queryable): Promise<Account[]> =>
  allAs(db, sql`select ${COLUMNS} from accounts order by id`, toAccount);

/** Accounts with ids below `before`, newest first. */
export const accountsBefore = (db: Queryable, before: string, limit: number): Promise<Account[]> =>
  allAs(db, sql`select ${COLUMNS} from accounts where id < ${before} order by id desc limit ${limit}`, toAccount);

/** Operators with an active account and a confirmed address, to which mails are sent. */
export async function activeOperators(db: Queryable): Promise<Account[]> {
  const rows = await db.all(sql`
    select ${COLUMNS} from accounts where role = 'operator' and disabled is null and email_verified = 1 order by id`);
  return rows.map(toAccount);
}

/** The UUID of an account's linked game account; undefined if none is linked. */
export const accountPlayerUuid = async (db: Queryable, id: string): Promise<string | undefined> =>
  (await getValue<string | null>(db, sql`select player_uuid from accounts where id = ${id}`)) ?? undefined;

/** The stored hash of an account's password (a PHC string); undefined if it has none. */
export const passwordOf = async (db: Queryable, id: string): Promise<string | undefined> =>
  (await getValue<string | null>(db, sql`select password from accounts where id = ${id}`)) ?? undefined;

/** The form in which addresses are compared. RFC 5321 allows a case-sensitive local part, but no mail service has one. */
export function emailKey(email: string): string {
  return email.normalize('NFC').toLowerCase();
}

export interface NewAccount {
  name: string;
  email: string;
  /** The hash from `hashPassword`. */
  password: string | null;
  email_verified?: boolean;
  role?: Role;
  locale?: string;
  /** Whether the account gets a provisional name, because the name is a known player's or another account's. */
  provisional?: boolean;
}

/**
 * Creates an account. It does not check the name: call `nameProblem` first.
 * @returns the account, or which of its name and address another account has
 */
export async function createAccount(
  db: Transactional,
  now: number,
  { name: asked, email, password, email_verified = false, role = 'user', locale = '', provisional = false }: NewAccount,
): Promise<Account | 'name taken' | 'email taken'> {
  const account = await unlessTaken(db, async (tx) => {
    if ((await accountByEmail(tx, email)) !== undefined) return 'email taken';
    const id = idOf(await nextKey(tx, now));
    const name = provisional ? provisionalName(asked, id) : asked;
    await tx.run(sql`
      insert into accounts (id, name, name_key, email, email_key, email_verified, password, role, locale, created)
      values (${id}, ${name}, ${nameKey(name)}, ${email}, ${emailKey(email)}, ${email_verified ? 1 : 0}, ${password},
        ${role}, ${locale}, ${now})`);
    return (await accountById(tx, id))!;
  });
  return account ?? 'name taken';
}

export const hasOperator = (db: Queryable): Promise<boolean> =>
  exists(db, sql`select 1 as found from accounts where role = 'operator' limit 1`);

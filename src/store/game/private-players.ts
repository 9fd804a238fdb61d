import { exists, flag, getAs, type Queryable, rowReader } from '#db/db.ts';
import { list, type Sql, sql } from '#db/sql.ts';

/**
 * What people chose that others do not see of their players. Nothing is rewritten: readers for the public leave it out, so that
 * switching it off brings everything back. Only ranks do not count private profiles.
 */
export interface Privacy {
  /** Statistics, matches and places. */
  profile: boolean;
  /** Where the player is now and was last: see `hidden-lists.ts`. */
  online: boolean;
  names: boolean;
}

type Switch = keyof Privacy;
export const SWITCHES = ['profile', 'online', 'names'] as const satisfies readonly Switch[];

/**
 * Whom an answer is for: `insiders` are game servers, staff and the person, who see what is private; hidden players are hidden
 * from them too. `all` hides nothing.
 */
export type Audience = 'all' | 'insiders' | 'public';

const OFF: Privacy = { profile: false, online: false, names: false };

/** The condition that the person of a UUID made this private, or the whole profile. */
export const keepsPrivate = (uuid: Sql, what: Switch = 'profile'): Sql => sql`
  exists (select 1 from private_players v where v.uuid = ${uuid} and ${CONDITIONS[what]})`;

const CONDITIONS: Record<Switch, Sql> = {
  profile: sql`v.profile = 1`,
  online: sql`(v.profile = 1 or v.online = 1)`,
  names: sql`(v.profile = 1 or v.names = 1)`,
};

/** Those of the UUIDs whose persons made this private. */
export async function privateAmong(db: Queryable, uuids: readonly string[], what: Switch): Promise<Set<string>> {
  const rows = await db.tuples(sql`
    select uuid from private_players v where v.uuid in (${list(uuids)}) and ${CONDITIONS[what]}`);
  return new Set(rows.map(([uuid]) => uuid as string));
}

export const isPrivate = (db: Queryable, uuid: string): Promise<boolean> =>
  exists(db, sql`select 1 as found from private_players where uuid = ${uuid} and profile = 1`);

export const hasPrivate = (db: Queryable): Promise<boolean> =>
  exists(db, sql`select 1 as found from private_players limit 1`);

export const ANY_PRIVATE = sql`exists (select 1 from private_players)`;

const toPrivacy = rowReader<Privacy>({ profile: flag, online: flag, names: flag });

export const privacyOf = async (db: Queryable, uuid: string): Promise<Privacy> =>
  (await getAs(db, sql`select profile, online, names from private_players where uuid = ${uuid}`, toPrivacy)) ?? OFF;

/** Stores the choice for a player and for the UUIDs that were merged into it. @returns all of these UUIDs */
export async function storePrivacy(tx: Queryable, uuid: string, privacy: Privacy): Promise<string[]> {
  const aliases = await tx.tuples(sql`select uuid from player_aliases where into_uuid = ${uuid}`);
  const uuids = [uuid, ...aliases.map(([alias]) => alias as string)];
  if (SWITCHES.every((name) => !privacy[name])) {
    await tx.run(sql`delete from private_players where uuid in (${list(uuids)})`);
    return uuids;
  }
  const [profile, online, names] = SWITCHES.map((name) => Number(privacy[name])) as [number, number, number];
  for (const one of uuids)
    await tx.run(sql`
      insert into private_players (uuid, profile, online, names) values (${one}, ${profile}, ${online}, ${names})
      on conflict (uuid) do update set profile = excluded.profile, online = excluded.online, names = excluded.names`);
  return uuids;
}

/**
 * What either of two merged players keeps private holds for both.
 * @param from has the alias of `into` already
 * @returns what holds then; undefined if neither has chosen anything
 */
export async function mergePrivacy(tx: Queryable, from: string, into: string): Promise<Privacy | undefined> {
  const [one, other] = [await privacyOf(tx, from), await privacyOf(tx, into)];
  const merged = Object.fromEntries(SWITCHES.map((name) => [name, one[name] || other[name]])) as Record<
    Switch,
    boolean
  >;
  if (SWITCHES.every((name) => !merged[name])) return undefined;
  await storePrivacy(tx, into, merged);
  return merged;
}

/**
 * Lets a choice hold for the pseudonym of an erased UUID, whose records are not public either. It holds for the UUID until the
 * job of the erasure has replaced it everywhere.
 */
export async function pseudonymisePrivacy(tx: Queryable, uuid: string, pseudonym: string): Promise<void> {
  await tx.run(sql`
    insert into private_players (uuid, profile, online, names)
    select cast(${pseudonym} as text), profile, online, names from private_players where uuid = ${uuid}
    on conflict (uuid) do nothing`);
}

import { isShortUuid, nameKey, shortUuid } from '#platform/text.ts';
import type { Queryable } from '#db/db.ts';
import { insertAll, type Sql, sql } from '#db/sql.ts';
import { syncAccountName } from '#store/accounts/account-names.ts';

/**
 * Rebuilds the names, the last login and the last logout of players from the remaining records, after events were
 * retracted. `PlayerAccumulator` maintains the same fields event by event. The newest observation of a name decides; of
 * two with the same timestamp, the one of the later event.
 */
export async function rebuildPlayerNames(tx: Queryable, keys: readonly number[]): Promise<void> {
  for (const key of keys) {
    const spans = await spansOf(tx, key);
    await tx.run(sql`delete from player_names where player_key = ${key}`);
    await rebuildPlayer(tx, key, spans);
  }
}

/** A name in its spelling, with the timestamps of its first and last observation. */
interface Span {
  name: string;
  first: number;
  last: number;
}

/** A subquery for `from`: all observations of the player's names. */
const observationsOf = (player: number): Sql => sql`(
    select p.name, m.finished as time, p.match_key as key, 1 as own
    from player_matches p join matches m on m.key = p.match_key where p.player_key = ${player}
    union all
    select name, time, ledger_key, 1 from player_sessions where player_key = ${player}
    union all
    select name, time, ledger_key, 0 from name_observations where player_key = ${player}) s`;

async function spansOf(tx: Queryable, player: number): Promise<Span[]> {
  const rows = await tx.tuples(sql`
    select name, min(time), max(time) from ${observationsOf(player)} group by name`);
  return (rows as [string, number, number][]).map(([name, first, last]) => ({ name, first, last }));
}

/**
 * Deletes a player without any remaining observation. UUIDs that were merged into the player stay merged, but lose the
 * keys of their former players.
 */
async function deletePlayer(tx: Queryable, key: number): Promise<void> {
  await tx.run(sql`
    update player_aliases set key = null where into_uuid = (select uuid from players where key = ${key})`);
  await tx.run(sql`delete from players where key = ${key}`);
}

async function rebuildPlayer(tx: Queryable, key: number, spans: Span[]): Promise<void> {
  if (spans.length === 0) return await deletePlayer(tx, key);
  const { uuid } = (await tx.get<{ uuid: string }>(sql`select uuid from players where key = ${key}`))!;
  const ordered = (await sortSpans(tx, key, spans)).map((span) => ({ ...span, name: nameIn(span, uuid) }));
  const names = new Map<string, Span>();
  for (const span of ordered) {
    const first = Math.min(span.first, names.get(nameKey(span.name))?.first ?? span.first);
    names.set(nameKey(span.name), { ...span, first });
  }
  const present = names.get(nameKey(ordered.at(-1)!.name))!;
  const login = await newest(tx, key, 1);
  const logout = await newest(tx, key, 0);
  await tx.run(sql`
    update players set name = ${present.name}, name_key = ${nameKey(present.name)}, name_since = ${present.first},
      last_login = ${login?.time ?? null}, last_login_server = ${login?.server ?? ''}, last_logout = ${logout?.time ?? null}
    where key = ${key}`);
  if (!isShortUuid(present.name)) await tx.runAll(syncAccountName(uuid, present.name));
  await tx.run(sql`update player_stats set name_seen = ${present.last} where player_key = ${key}`);
  const rows = [...names].map(([name, span]) => [name, key, span.name, span.first, span.last]);
  await tx.runAll(
    insertAll('insert into player_names (name_key, player_key, name, first_seen, last_seen) values', rows),
  );
}

/** Without a name, a player has the short form of the UUID: after a merge, of the UUID that remains. */
const nameIn = ({ name }: Span, uuid: string): string => (isShortUuid(name) ? shortUuid(uuid) : name);

/** Sorts spans by their last observation, those without a name first; ties by the event of that observation. */
async function sortSpans(tx: Queryable, key: number, spans: Span[]): Promise<Span[]> {
  const tied = spans.filter(({ last }, place) => spans.some((other, at) => at !== place && other.last === last));
  const events = new Map<Span, [key: number, own: number]>();
  for (const span of tied) {
    const event = await tx.tuple(sql`
      select key, own from ${observationsOf(key)} where name = ${span.name} and time = ${span.last}
      order by key desc, own desc limit 1`);
    events.set(span, event as [number, number]);
  }
  return spans.sort((a, b) => {
    const [[aKey, aOwn], [bKey, bOwn]] = [events.get(a) ?? [0, 0], events.get(b) ?? [0, 0]];
    const named = Number(!isShortUuid(a.name)) - Number(!isShortUuid(b.name));
    return named || a.last - b.last || aKey - bKey || aOwn - bOwn;
  });
}

async function newest(tx: Queryable, key: number, login: 0 | 1): Promise<{ time: number; server: string } | undefined> {
  return await tx.get(sql`
    select time, server from player_sessions where player_key = ${key} and login = ${login}
    order by time desc, ledger_key desc limit 1`);
}

/** The first name of a player and its timestamp. */
export async function firstObservation(db: Queryable, key: number): Promise<{ name: string; first: number }> {
  return (await spansOf(db, key)).reduce((first, span) => (span.first < first.first ? span : first));
}

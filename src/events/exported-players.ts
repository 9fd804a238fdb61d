import { uuidOf } from '#text/text.ts';
import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import type { NamingColumns, pseudonymisedEvents } from './ledger/pseudonyms.ts';
import { LEDGER, type LedgerRow, parseStoredEvents } from './ledger/ledger-rows.ts';
import { type EventName, typeOf } from './schema/index.ts';

type Shown = Awaited<ReturnType<typeof pseudonymisedEvents>>;

/** A player, or a merged one with the key that it had before the merge. */
export interface Holder {
  key: number;
  uuid: string;
  /** The key and name of the player who has its records. */
  player_key: number;
  name: string;
}

interface HolderRow extends Holder {
  /** The key of the event that may have added it: the last one before its own key. */
  adding: number | null;
  merged: number;
}

const HOLDERS = sql`
  select b.*, (select max(k.key) from ledger k where k.key <= b.key) as adding from (
    select a.key, a.uuid, p.key as player_key, p.name, 1 as merged
    from player_aliases a join players p on p.uuid = a.into_uuid where a.key is not null
    union all
    select p.key, p.uuid, p.key, p.name,
      case when exists (select 1 from player_aliases a where a.into_uuid = p.uuid) then 1 else 0 end
    from players p where not exists (select 1 from player_aliases a where a.into_uuid = p.uuid and a.key = p.key)) b`;

/** Whether the event with the key `h.adding` is in force and observed the player. */
const IS_OBSERVED = sql`
  exists (select 1 from ledger l where l.key = h.adding and l.withdrawn is null) and (
    exists (select 1 from name_observations o where o.player_key = h.player_key and o.ledger_key = h.adding)
    or exists (select 1 from player_sessions s where s.player_key = h.player_key and s.ledger_key = h.adding)
    or exists (select 1 from player_matches m where m.player_key = h.player_key and m.match_key = h.adding))`;

/**
 * The players whose keys an import would not derive from the key of the first event that names them: the event that added
 * the player was withdrawn or names another one since, or the player was added by the link of an erased game account, which
 * got punishments back that are older than its player.
 * @returns `missing`: those to add by their own events; `newer`: the keys of players by the older event that names them first
 */
export async function displacedPlayers(
  db: Queryable,
  shown: Shown,
): Promise<{ missing: Holder[]; newer: ReadonlyMap<number, number> }> {
  const missing = await db.all<HolderRow>(sql`select h.* from (${HOLDERS}) h where not (${IS_OBSERVED})`);
  // Records of merged players are the survivor's, so that the event may have observed another of them.
  const merged = await db.all<HolderRow>(sql`select h.* from (${HOLDERS}) h where h.merged = 1 and ${IS_OBSERVED}`);
  for (const holder of merged) if (!(await isNamed(db, holder))) missing.push(holder);
  const returned = await returnedPlayers(db, shown);
  const known = new Set(missing.map(({ key }) => key));
  // Their own events let the sequence of keys reach theirs.
  missing.push(...returned.values().filter(({ key, adding }) => adding !== key && !known.has(key)));
  return { missing, newer: new Map([...returned.values()].map(({ key, event }) => [event, key])) };
}

/** Whether the event that may have added a merged player names it, or a UUID that had no player when it was merged. */
async function isNamed(db: Queryable, { adding, uuid, player_key }: HolderRow): Promise<boolean> {
  const rows = await db.all<LedgerRow>(sql`${LEDGER} where l.key = ${adding}`);
  const others = await db.tuples(sql`
    select a.uuid from player_aliases a join players p on p.uuid = a.into_uuid where p.key = ${player_key} and a.key is null`);
  const uuids = new Set([uuid, ...others.map(([other]) => other as string)]);
  return (await parseStoredEvents(db, rows)).some(({ event: { type, data } }) =>
    typeOf(type)
      .players(data)
      .some((named) => uuids.has(named)),
  );
}

type ReturnedRow = HolderRow & NamingColumns & { event: number; type: EventName };

/**
 * The players whose keys do not follow that of the first punishment that names them, or of the server that it added, with
 * that punishment, by key.
 */
async function returnedPlayers(db: Queryable, shown: Shown): Promise<ReadonlyMap<number, ReturnedRow>> {
  const rows = await db.all<ReturnedRow>(sql`
    select h.*, u.key as event, l.type, l.event_id, l.aggregate, l.body, l.envelope from (${HOLDERS}) h join punishments u on u.punished_key = h.player_key
      join ledger l on l.key = u.key left join servers s on s.key = u.key + 1
    where u.key <= h.adding and h.key <> u.key + case when s.key is null then 1 else 2 end order by u.key desc`);
  const named = rows.filter((row) => {
    const { punished } = JSON.parse(shown(row).body) as { punished: { uuid: string } };
    return uuidOf(punished.uuid) === row.uuid;
  });
  return new Map(named.map((row) => [row.key, row]));
}

import { idOf } from '#platform/ids.ts';
import type { Db, Queryable } from '#db/db.ts';
import { list, sql } from '#db/sql.ts';
import type { Event, WireEvent } from './schema.ts';
import { firstObservation } from '#store/game/player-names.ts';
import { pseudonymisedBodies } from './anonymise.ts';
import { LEDGER, type LedgerRow } from './rebuild.ts';

/**
 * Everything that events have made, as events again, each with its receipt: taken in this order by an empty network they
 * make the same, under the same ids. Withdrawn events are left out; what they have left behind (ids of players and
 * servers that others speak of, too) is said by events of its own. All of it is of one moment: what is withdrawn while it
 * is read would leave ids behind that nothing speaks of.
 */
export async function* exportEvents(db: Db): AsyncGenerator<WireEvent> {
  await using state = await db.snapshot();
  const lost = await lostBeginnings(state);
  const bodyOf = await pseudonymisedBodies(state);
  for (let after = 0; ;) {
    const rows = await state.all<LedgerRow>(
      sql`${LEDGER} where l.key > ${after} and l.withdrawn is null order by l.key limit ${BATCH_SIZE}`,
    );
    const pictures = await picturesOf(state, rows);
    for (const row of rows) {
      while (lost.length > 0 && lost[0]!.key < row.key) yield lost.shift()!.event;
      const event = wireOf({ ...row, body: bodyOf(row.type, row.body) }, pictures);
      if (event !== undefined) yield event;
    }
    if (rows.length < BATCH_SIZE) break;
    after = rows.at(-1)!.key;
  }
  for (const { event } of lost) yield event;
  yield* presences(state);
}

const BATCH_SIZE = 200;

interface Pictures {
  content_type: string;
  bytes: Uint8Array;
}

async function picturesOf(db: Queryable, rows: LedgerRow[]): Promise<Map<number, Pictures>> {
  const keys = rows.filter(({ type }) => type === 'map.published').map(({ key }) => key);
  if (keys.length === 0) return new Map();
  const pictures = await db.all<Pictures & { ledger_key: number }>(sql`
    select m.ledger_key, p.content_type, p.bytes from map_pictures m join pictures p on p.hash = m.hash
    where m.ledger_key in (${list(keys)})`);
  return new Map(pictures.map(({ ledger_key, ...picture }) => [ledger_key, picture]));
}

function wireOf(row: LedgerRow, pictures: Map<number, Pictures>): WireEvent | undefined {
  const { key, event_id: id, time, server } = row;
  const data = JSON.parse(row.body) as Record<string, unknown>;
  const picture = pictures.get(key);
  if (picture !== undefined) {
    data['image'] = { content_type: picture.content_type, data: Buffer.from(picture.bytes).toString('base64') };
  }
  // Accounts stay where they are; that the player was seen is a fact of the network.
  const type = row.type === 'account.link' ? 'player.named' : row.type;
  return eventOf({ key, id, type, time, server, data });
}

interface Facts {
  key: number;
  id: string;
  type: Event['type'];
  time: number;
  server?: string | null;
  data: unknown;
}

function eventOf({ key, id, type, time, server, data }: Facts): WireEvent {
  const named = typeof server === 'string' ? { server } : {};
  const timestamp = new Date(time).toISOString();
  return { version: 1, id, type, time: timestamp, ...named, receipt: idOf(key), data } as WireEvent;
}

interface Lost {
  /** Where the event has to stand for the id to come out right. */
  key: number;
  event: WireEvent;
}

/**
 * Servers and players get their keys behind that of the event that first spoke of them. Where that one is withdrawn or
 * was a heartbeat, an event in its place says what is still known.
 */
async function lostBeginnings(db: Queryable): Promise<Lost[]> {
  return [...(await lostServers(db)), ...(await lostPlayers(db))].sort((a, b) => a.key - b.key);
}

interface LostServer {
  key: number;
  name: string;
  region: string;
  order: number;
  icon: string;
  max: number;
}

async function lostServers(db: Queryable): Promise<Lost[]> {
  const rows = await db.all<LostServer>(sql`
    select s.key, s.name, s.region, s.sort_order as "order", s.icon, s.max from servers s
    where not exists (select 1 from ledger l where l.key = s.key - 1 and l.scope_key = s.key and l.withdrawn is null)`);
  return rows.map(({ key, name, ...data }) => {
    const facts = { key: key - 1, id: `export server ${idOf(key)}`, time: 0, server: name, data };
    return { key: key - 1, event: eventOf({ ...facts, type: 'server.configured' }) };
  });
}

/** A player who was merged into another has a key, too, from when both were known. */
async function lostPlayers(db: Queryable): Promise<Lost[]> {
  const rows = await db.all<{ key: number; uuid: string; known_as: number }>(sql`
    select b.key, b.uuid, b.known_as from (
      select a.key, a.uuid, p.key as known_as from player_aliases a join players p on p.uuid = a.into_uuid
      where a.key is not null
      union all
      select p.key, p.uuid, p.key from players p
      where not exists (select 1 from player_aliases a where a.into_uuid = p.uuid and a.key = p.key)) b
    where not exists (
      select 1 from ledger l
      where l.key = (select max(k.key) from ledger k where k.key <= b.key) and l.withdrawn is null)`);
  const lost: Lost[] = [];
  for (const { key, uuid, known_as } of rows) {
    const { name, first } = await firstObservation(db, known_as);
    const facts = { key, id: `export player ${idOf(key)}`, time: first, data: { player: { uuid, name } } };
    lost.push({ key, event: eventOf({ ...facts, type: 'player.known' }) });
  }
  return lost;
}

async function* presences(db: Queryable): AsyncGenerator<WireEvent> {
  const rows = await db.all<Record<string, string | number>>(sql`
    select p.event_id, p.received, p.playing, p.players, p.gamemode, p.current_map, p.next_map, s.name
    from presence p join servers s on s.key = p.server_key where s.removed is null order by s.key`);
  for (const row of rows) {
    const { playing: current, gamemode, current_map, next_map } = row;
    const data = { current, players: JSON.parse(row['players'] as string) as unknown, gamemode, current_map, next_map };
    const time = new Date(row['received'] as number).toISOString();
    yield { version: 1, id: row['event_id'], type: 'server.presence', time, server: row['name'], data } as WireEvent;
  }
}

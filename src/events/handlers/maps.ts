import { hash } from 'node:crypto';
import { nameKey } from '#platform/text.ts';
import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { type EventContext, EventRejected, sourceOf, type HandlerResult } from '../unit-of-work.ts';
import type { DataOf } from '../schema.ts';
import { type GameMap, mapByExactName } from '#store/game/maps.ts';

type Published = DataOf<'map.published'>;

/**
 * Stores a new map, or a new version of a map. A map belongs to its first publisher: other game servers may publish the
 * same map again but not change it; the operator may change any map. An empty objective or a missing picture does not
 * overwrite the stored one, since older map files lack them.
 */
export async function applyPublished(context: EventContext, data: Published): Promise<HandlerResult> {
  const { tx } = context.batch;
  const picture = await mapImageOf(context, data);
  const known = await publishedMap(tx, data.name);
  if (known === undefined) {
    await checkNamesake(context, data.name);
    await storeImage(context, data, picture);
    await addMap(context, data, picture);
    return undefined;
  }
  const next = { ...data, objective: data.objective || known.objective };
  const same = isSame(known, next) && (picture === undefined || known.hash === picture);
  if (!same && context.sender.kind === 'server' && known.publisher_key !== sourceOf(context)) {
    throw new EventRejected(
      'data.name',
      'is a map of another publisher (a server or the operator); only its publisher can change it',
    );
  }
  await storeImage(context, data, picture);
  if (same) return { note: 'nothing changed: the same map is already published' };
  if (context.time < known.published) return { note: 'nothing changed: a newer version is already published' };
  await updateMap(context, known.key, next, picture);
  return undefined;
}

/**
 * Map names compare case-insensitively wherever a map is looked up by name, so a server must not publish a name that
 * differs from another publisher's map in case only: its map would be shown instead of the other.
 */
async function checkNamesake(context: EventContext, name: string): Promise<void> {
  if (context.sender.kind === 'operator') return;
  const other = await context.batch.tx.get<{ name: string }>(sql`
    select name from maps where name_key = ${nameKey(name)} and publisher_key <> ${sourceOf(context)} limit 1`);
  if (other === undefined) return;
  throw new EventRejected(
    'data.name',
    `is already the name of the map "${other.name}" of another publisher; choose another name`,
  );
}

/** Whether the stored map equals the event's data, so that publishing it would change nothing. */
export async function isPublished(db: Queryable, data: Published): Promise<boolean> {
  const known = await publishedMap(db, data.name);
  if (known === undefined) return false;
  const picture = data.image && hashOf(data.image);
  return (
    isSame(known, { ...data, objective: data.objective || known.objective }) && (picture ?? known.hash) === known.hash
  );
}

type PublishedMap = GameMap & { published: number; publisher_key: number; hash: string | undefined };

async function publishedMap(tx: Queryable, name: string): Promise<PublishedMap | undefined> {
  const map = await mapByExactName(tx, name);
  if (map === undefined) return undefined;
  const facts = await tx.get<{ published: number; publisher_key: number; hash: string | null }>(sql`
    select m.published, m.publisher_key, i.hash from maps m left join map_images i on i.map_key = m.key
    where m.key = ${map.key}`);
  return { ...map, ...facts!, hash: facts!.hash ?? undefined };
}

/** The hash of an event's picture. In a replay it comes from `map_pictures`: the ledger does not store pictures. */
async function mapImageOf({ batch, key, isReplay }: EventContext, { image }: Published): Promise<string | undefined> {
  if (image !== undefined) return hashOf(image);
  if (!isReplay) return undefined;
  return (await batch.tx.get<{ hash: string }>(sql`select hash from map_pictures where ledger_key = ${key}`))?.hash;
}

const hashOf = ({ data }: NonNullable<Published['image']>): string =>
  hash('sha256', Buffer.from(data, 'base64'), 'base64url');

async function storeImage(
  { batch: { tx }, key, isReplay }: EventContext,
  { image }: Published,
  picture: string | undefined,
): Promise<void> {
  if (image === undefined || picture === undefined || isReplay) return;
  await tx.run(sql`
    insert into pictures (hash, content_type, bytes)
    values (${picture}, ${image.content_type}, ${Buffer.from(image.data, 'base64')}) on conflict (hash) do nothing`);
  await tx.run(sql`insert into map_pictures (ledger_key, hash) values (${key}, ${picture})`);
}

async function addMap(context: EventContext, data: Published, picture: string | undefined): Promise<void> {
  const { key, time, batch } = context;
  await batch.tx.run(sql`
    insert into maps (key, name, name_key, version, proto, objective, type, path, authors, teams, gamemodes, publisher_key, published)
    values (${key}, ${data.name}, ${nameKey(data.name)}, ${data.version}, ${data.proto}, ${data.objective}, ${data.type},
      ${data.path}, ${JSON.stringify(data.authors)}, ${JSON.stringify(data.teams)}, ${JSON.stringify(data.gamemodes)},
      ${sourceOf(context)}, ${time})`);
  await writeModesAndImage(batch.tx, key, data.gamemodes, picture);
}

async function updateMap(
  context: EventContext,
  key: number,
  data: Published,
  picture: string | undefined,
): Promise<void> {
  const { tx } = context.batch;
  await tx.run(sql`
    update maps set version = ${data.version}, proto = ${data.proto}, objective = ${data.objective}, type = ${data.type},
      path = ${data.path}, authors = ${JSON.stringify(data.authors)}, teams = ${JSON.stringify(data.teams)},
      gamemodes = ${JSON.stringify(data.gamemodes)}, publisher_key = ${sourceOf(context)}, published = ${context.time}
    where key = ${key}`);
  await tx.run(sql`delete from map_gamemodes where map_key = ${key}`);
  await writeModesAndImage(tx, key, data.gamemodes, picture);
}

async function writeModesAndImage(
  tx: Queryable,
  key: number,
  gamemodes: string[],
  picture: string | undefined,
): Promise<void> {
  for (const mode of new Set(gamemodes.map(nameKey))) {
    await tx.run(sql`insert into map_gamemodes (gamemode_key, map_key) values (${mode}, ${key})`);
  }
  if (picture === undefined) return;
  await tx.run(sql`
    insert into map_images (map_key, hash) values (${key}, ${picture})
    on conflict (map_key) do update set hash = excluded.hash`);
}

type Facts = Omit<GameMap, 'key' | 'name' | 'has_image'>;

const isSame = (known: Facts, next: Facts): boolean => JSON.stringify(factsOf(known)) === JSON.stringify(factsOf(next));

function factsOf({ version, proto, objective, type, path, authors, teams, gamemodes }: Facts): Facts {
  return { version, proto, objective, type, path, authors, teams, gamemodes };
}

import { hash } from 'node:crypto';
import { isUuidLabel, nameKey } from '#text/text.ts';
import type { Queryable } from '#db/db.ts';
import { list, sql } from '#db/sql.ts';
import type { LedgerRow } from '../ledger/ledger-rows.ts';
import { type AggregateKind, type Effects, PLAIN_EFFECT } from './event-effect.ts';
import {
  type UnitOfWork,
  type EventContext,
  EventRejected,
  eventScope,
  type HandlerResult,
} from '../ledger/unit-of-work.ts';
import type { DataOf } from '../schema/index.ts';
import type { MAP_EVENTS } from '../schema/maps.ts';
import { type GameMap, mapByExactName } from '#store/game/maps/maps.ts';
import { namesByUuid } from '#store/game/players.ts';

type Published = DataOf<'map.published'>;

/**
 * Stores a new map, or a newer version of a known one. Maps belong to the network, because its servers deploy the same
 * ones: every server may publish any map, and the event with the latest `time` counts, whatever its version is. An empty
 * objective or a missing picture does not overwrite the stored one, because older map files lack them.
 */
async function applyPublished(context: EventContext, sent: Published): Promise<HandlerResult> {
  const { time, work, isReplay } = context;
  const authors = isReplay ? sent.authors : await namedAuthors(work, sent.authors);
  const data = { ...sent, authors };
  const stored = authors === sent.authors ? undefined : { authors };
  const picture = await imageHash(context, data);
  const known = await publishedMap(work.tx, data.name);
  if (known === undefined) {
    await storeImage(context, data, picture);
    await addMap(context, data, picture);
    return { stored };
  }
  const next = { ...data, objective: data.objective || known.objective };
  const same = isSame(known, next) && (picture === undefined || known.hash === picture);
  if (time === known.published) {
    // The author may have another name than when the map was stored.
    const asKnown = withNames(sent.authors, (_, place) => known.authors[place]?.name);
    const isRepeated =
      same || (isSame(known, { ...next, authors: asKnown }) && [undefined, known.hash].includes(picture));
    if (isRepeated) return { duplicateOf: known.changed_key };
    throw new EventRejected(
      'time',
      'is also the time of another version of this map; a newer version has a later time',
    );
  }
  await storeImage(context, data, picture);
  if (time < known.published) return { stored, note: 'nothing changed: a newer version is already published' };
  if (!same) {
    await updateMap(context, known.key, next, picture);
    return { stored };
  }
  // A late event with an earlier time must not replace this version.
  await work.tx.run(sql`update maps set published = ${time} where key = ${known.key}`);
  return { stored, note: 'nothing changed: the same map is already published' };
}

/** Authors who were sent by UUID alone get the name of the player, if it is known: from then on as if it had been sent. */
async function namedAuthors(work: UnitOfWork, authors: Published['authors']): Promise<Published['authors']> {
  const nameless = authors.flatMap(({ name, uuid }) => (name === '' && uuid !== '' ? uuid : []));
  if (nameless.length === 0) return authors;
  await work.load(nameless);
  return withNames(authors, (uuid) => work.players.find(uuid)?.name);
}

type NameOf = (uuid: string, place: number) => string | undefined;

const withNames = (authors: Published['authors'], nameOf: NameOf): Published['authors'] =>
  authors.map((author, place) => {
    const name = author.name === '' && author.uuid !== '' ? (nameOf(author.uuid, place) ?? '') : '';
    return name === '' || isUuidLabel(name) ? author : { ...author, name };
  });

/** Whether the stored map equals the event's data, so that publishing it would change nothing. */
export async function isPublished(db: Queryable, data: Published): Promise<boolean> {
  const known = await publishedMap(db, data.name);
  if (known === undefined) return false;
  const picture = data.image && hashImage(data.image);
  const names = await namesByUuid(
    db,
    data.authors.map(({ uuid }) => uuid),
  );
  const authors = withNames(data.authors, (uuid) => names.get(uuid));
  const objective = data.objective || known.objective;
  return isSame(known, { ...data, authors, objective }) && (picture ?? known.hash) === known.hash;
}

type PublishedMap = GameMap & { published: number; changed_key: number | null; hash: string | undefined };

async function publishedMap(tx: Queryable, name: string): Promise<PublishedMap | undefined> {
  const map = await mapByExactName(tx, name);
  if (map === undefined) return undefined;
  const facts = await tx.get<{ published: number; changed_key: number | null; hash: string | null }>(sql`
    select m.published, m.changed_key, i.hash from maps m left join map_images i on i.map_key = m.key
    where m.key = ${map.key}`);
  return { ...map, ...facts!, hash: facts!.hash ?? undefined };
}

/** The hash of an event's picture. In a replay it comes from `map_pictures`: the ledger does not store pictures. */
async function imageHash({ work, key, isReplay }: EventContext, { image }: Published): Promise<string | undefined> {
  if (image !== undefined) return hashImage(image);
  if (!isReplay) return undefined;
  return (await work.tx.get<{ hash: string }>(sql`select hash from map_pictures where ledger_key = ${key}`))?.hash;
}

const hashImage = ({ data }: NonNullable<Published['image']>): string =>
  hash('sha256', Buffer.from(data, 'base64'), 'base64url');

async function storeImage(
  { work: { tx }, key, isReplay }: EventContext,
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
  const { key, time, work } = context;
  await work.tx.run(sql`
    insert into maps (key, name, name_key, version, proto, objective, type, path, authors, teams, gamemodes, publisher_key, published, changed_key)
    values (${key}, ${data.name}, ${nameKey(data.name)}, ${data.version}, ${data.proto}, ${data.objective}, ${data.type},
      ${data.path}, ${JSON.stringify(data.authors)}, ${JSON.stringify(data.teams)}, ${JSON.stringify(data.gamemodes)},
      ${eventScope(context)}, ${time}, ${key})`);
  work.changes.add('map', key, 'created');
  await writeModesAndImage(work.tx, key, data.gamemodes, picture);
}

async function updateMap(
  context: EventContext,
  key: number,
  data: Published,
  picture: string | undefined,
): Promise<void> {
  const { tx, changes } = context.work;
  changes.add('map', key, 'changed');
  await tx.run(sql`
    update maps set version = ${data.version}, proto = ${data.proto}, objective = ${data.objective}, type = ${data.type},
      path = ${data.path}, authors = ${JSON.stringify(data.authors)}, teams = ${JSON.stringify(data.teams)},
      gamemodes = ${JSON.stringify(data.gamemodes)}, publisher_key = ${eventScope(context)}, published = ${context.time},
      changed_key = ${context.key}
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

const isSame = (known: Facts, next: Facts): boolean =>
  JSON.stringify(mapFacts(known)) === JSON.stringify(mapFacts(next));

function mapFacts({ version, proto, objective, type, path, authors, teams, gamemodes }: Facts): Facts {
  return { version, proto, objective, type, path, authors, teams, gamemodes: gamemodes.map(nameKey) };
}

/** Deletes the picture of a map with the last event that has it. The map itself is rebuilt. */
async function undoPublished({ tx }: UnitOfWork, { key, aggregate }: LedgerRow): Promise<string | null> {
  await tx.runAll([
    sql`delete from map_images where hash in (select hash from map_pictures where ledger_key = ${key})
      and not exists (select 1 from map_pictures o where o.hash = map_images.hash and o.ledger_key <> ${key})`,
    sql`delete from map_pictures where ledger_key = ${key}`,
    sql`delete from pictures where not exists (select 1 from map_pictures p where p.hash = pictures.hash)
      and not exists (select 1 from map_images i where i.hash = pictures.hash)`,
  ]);
  return aggregate;
}

/** Adds the pictures, which the ledger does not store. */
async function withPictures(db: Queryable, rows: readonly LedgerRow[]) {
  const pictures = await db.all<{ ledger_key: number; content_type: string; bytes: Uint8Array }>(sql`
    select m.ledger_key, p.content_type, p.bytes from map_pictures m join pictures p on p.hash = m.hash
    where m.ledger_key in (${list(rows.map(({ key }) => key))})`);
  const byKey = new Map(pictures.map(({ ledger_key, ...picture }) => [ledger_key, picture]));
  return ({ key }: LedgerRow, data: object): object => {
    const picture = byKey.get(key);
    if (picture === undefined) return data;
    const { content_type, bytes } = picture;
    return { ...data, image: { content_type, data: Buffer.from(bytes).toString('base64') } };
  };
}

/** Names compare in any case. */
export const MAPS: AggregateKind = {
  prefix: 'map',
  changes: ['map'],
  async reset({ tx, changes }, name) {
    const rows = await tx.tuples(sql`delete from maps where name_key = ${name} returning key`);
    for (const [key] of rows) changes.add('map', key as number, 'withdrawn');
  },
};

export const mapAggregate = (name: string): string => `${MAPS.prefix} ${nameKey(name)}`;

export const MAP_EFFECTS: Effects<typeof MAP_EVENTS> = {
  'map.published': {
    ...PLAIN_EFFECT,
    apply: applyPublished,
    changes: ['map'],
    aggregate: ({ name }) => mapAggregate(name),
    retract: { undo: undoPublished },
    exported: withPictures,
  },
};

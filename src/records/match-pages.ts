import { idOf } from '#base/ids.ts';
import { type Known, whenKnown } from '#base/known.ts';
import type { Db, Queryable, Reads } from '#db/db.ts';
import { Sql, sql } from '#db/sql.ts';
import { type FollowState, lockFollower, moveFollower } from './follow-states.ts';
import type { MatchHead } from './matches.ts';

/**
 * Pages of matches: the text of ten consecutive matches as a list shows them, the newest first. They are written
 * behind the ingest, in the order of keys, and leave no key out: what a page covers is all there is between its ends.
 */

/**
 * Where a page lies that begins with a key: pages stand in the order in which lists go on. SQLite has one in each leaf of
 * its tree, and looking for the last one below a key it would come to the leaf behind it first.
 */
const placeOf = (key: number): number => 0 - key;

/** How matches are shown in lists. */
export interface Listing {
  /** Names everything that the text depends on beside the match. */
  edition: string;
  /** A match as JSON, an object that begins with its `id` and holds no other object. */
  json: (match: MatchHead) => string;
}

/** Matches of a page: fewer make more rows of a list, more make more text that no list shows. */
const PAGE = 10;
/** Pages of one transaction: others who write wait no longer than these take. */
const AT_ONCE = 50;

/**
 * Puts the next matches into pages, as many as fill them; anew from the first where they are of another edition.
 * @returns whether there may be more
 */
export async function pageMatches(db: Db, listing: Listing): Promise<boolean> {
  if (await isPaged(db, listing)) return false;
  return await db.transaction(async (tx) => {
    const { last, made_for } = await lockFollower(tx, 'pages');
    let covered = made_for === listing.edition ? last : 0;
    const matches = await matchesBehind(tx, covered, PAGE * AT_ONCE);
    for (let end = PAGE; end <= matches.length; end += PAGE) {
      covered = await writePage(tx, listing, covered, matches.slice(end - PAGE, end));
    }
    await moveFollower(tx, 'pages', { last: covered, made_for: listing.edition });
    return matches.length === PAGE * AT_ONCE;
  });
}

/** Whether so little is left that it fills no page. */
async function isPaged(db: Db, { edition }: Listing): Promise<boolean> {
  const state = await db.get<FollowState>(sql`select last, made_for from follow_states where name = 'pages'`);
  return state!.made_for === edition && (await matchesBehind(db, state!.last, PAGE)).length < PAGE;
}

/**
 * Writes a page in the place of what other editions have there.
 * @param covered the last key that the page before it covers
 * @returns the last key that this one covers
 */
async function writePage(
  tx: Queryable,
  { edition, json }: Listing,
  covered: number,
  matches: readonly MatchHead[],
): Promise<number> {
  const last = matches.at(-1)!.key;
  const page = idOf(covered + 1) + idOf(last + 1) + edition + matches.map(json).reverse().join(',');
  await tx.run(sql`delete from match_pages where place >= ${placeOf(last)} and place < ${placeOf(covered)}`);
  await tx.run(sql`insert into match_pages (place, page) values (${placeOf(covered + 1)}, ${page})`);
  return last;
}

async function matchesBehind(tx: Queryable, last: number, limit: number): Promise<MatchHead[]> {
  return await tx.all<MatchHead>(sql`
    select key, head, started, finished from matches where key > ${last} order by key limit ${limit}`);
}

/** Takes matches out of their pages, in the transaction that withdraws them. */
export async function unpageMatches(tx: Queryable, keys: readonly number[]): Promise<void> {
  await lockFollower(tx, 'pages');
  for (const key of keys) {
    const [row] = await tx.tuples(sql`
      select place, page from match_pages where place >= ${placeOf(key)} order by place limit 1`);
    if (row === undefined) continue;
    const [place, page] = row as [number, string];
    if (endOf(page) <= idOf(key)) continue;
    await tx.run(sql`update match_pages set page = ${without(page, idOf(key))} where place = ${place}`);
  }
}

/**
 * A page begins with the id from which on it holds every match, the id before which it ends, and its edition. Then come
 * the matches with commas between them.
 */
const ID = 11;
const EDITION = 10;
const HEAD = 2 * ID + EDITION;
const beginOf = (page: string): string => page.slice(0, ID);
const endOf = (page: string): string => page.slice(ID, 2 * ID);
const editionOf = (page: string): string => page.slice(2 * ID, HEAD);

const NEXT = '},{"id":"';
const ID_AT = '{"id":"'.length;

/** The id of the match that stands here. */
const idAt = (page: string, at: number): string => page.slice(at + ID_AT, at + ID_AT + ID);

/** Where the match behind the one that stands here begins. No string of JSON holds what is looked for. */
function nextAt(page: string, at: number): number {
  const next = page.indexOf(NEXT, at);
  return next < 0 ? page.length + 1 : next + 2;
}

function without(page: string, id: string): string {
  const kept: string[] = [];
  for (let at = HEAD; at < page.length;) {
    const next = nextAt(page, at);
    if (idAt(page, at) !== id) kept.push(page.slice(at, next - 1));
    at = next;
  }
  return page.slice(0, HEAD) + kept.join(',');
}

/** A list that begins with the newest match whose key is below `before`. */
export interface ListAsked {
  before: number;
  limit: number;
}

/** A list as it was cut out of pages. */
export interface CutList {
  /** The matches with commas between them. */
  matches: string;
  /** Bytes of them in UTF-8. */
  length: number;
  /** The id of the last of them; empty where there is none. */
  last: string;
  count: number;
}

/**
 * Several lists, cut out of pages.
 * @returns for each list undefined where pages of this edition do not hold all of it
 */
export async function listsFromPages(
  db: Queryable,
  edition: string,
  asked: readonly ListAsked[],
): Promise<(CutList | undefined)[]> {
  const pages: string[][] = asked.map(() => []);
  for (const [list, page] of await db.tuples(pagesOf(asked))) pages[list as number]?.push(page as string);
  return asked.map((one, list) => cutList(pages[list]!.sort().reverse(), one, edition));
}

/** As `listsFromPages`, of one list. */
export function listFromPages(db: Reads, edition: string, asked: ListAsked): Known<CutList | undefined> {
  const found = db.tuples(sql`
    select page from match_pages where place > ${placeOf(asked.before)}
    order by place limit ${pagesFor(asked.limit)}`);
  return whenKnown(found, (rows) =>
    cutList(
      rows.map(([page]) => page as string),
      asked,
      edition,
    ),
  );
}

/** How many pages hold so many matches where none was taken out: of the first of them a list may show but one. */
const pagesFor = (limit: number): number => 1 + Math.ceil((limit - 1) / PAGE);

const texts = new Map<string, readonly string[]>();

/**
 * The pages of all lists in one statement, whose size is a power of two so that there are few different ones. Its limit
 * is code: a database that does not know how little is wanted plans the statement anew each time.
 */
function pagesOf(asked: readonly ListAsked[]): Sql {
  const size = 2 ** Math.ceil(Math.log2(asked.length));
  const count = pagesFor(Math.max(...asked.map(({ limit }) => limit)));
  const name = `${size} ${count}`;
  let strings = texts.get(name);
  if (strings === undefined) texts.set(name, (strings = textsOf(size, count)));
  return new Sql(
    strings,
    Array.from({ length: size }, (_, list) => placeOf(asked[list]?.before ?? 0)),
  );
}

function textsOf(size: number, count: number): string[] {
  const end = ` order by place limit ${count}) p`;
  return Array.from({ length: size + 1 }, (_, list) => {
    if (list === 0) return selectOf(0);
    return list < size ? `${end} union all ${selectOf(list)}` : end;
  });
}

const selectOf = (list: number): string =>
  `select * from (select ${list} as list, page from match_pages where place > `;

/** @param pages the newest ones that begin below, the newest first */
function cutList(pages: readonly string[], { before, limit }: ListAsked, edition: string): CutList | undefined {
  let [matches, length, last, left, upTo] = ['', 0, '', limit, idOf(before)];
  for (const page of pages) {
    if (editionOf(page) !== edition || endOf(page) < upTo) return undefined;
    let from = HEAD;
    while (from < page.length && idAt(page, from) >= upTo) from = nextAt(page, from);
    let [at, next] = [from, from];
    for (; left > 0 && next < page.length; left--) [at, next] = [next, nextAt(page, next)];
    if (next > from) {
      const cut = page.slice(from, next - 1);
      matches += matches === '' ? cut : `,${cut}`;
      length += Buffer.byteLength(cut) + (length === 0 ? 0 : 1);
      last = idAt(page, at);
    }
    upTo = beginOf(page);
    if (left === 0) break;
  }
  return left === 0 || upTo === FIRST ? { matches, length, last, count: limit - left } : undefined;
}

/** Where the first page begins. */
const FIRST = idOf(1);

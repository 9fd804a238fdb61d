import { idOf } from '#base/ids.ts';
import type { Db, Queryable } from '#db/db.ts';
import { Sql, sql } from '#db/sql.ts';
import type { MatchHead } from './matches.ts';

/**
 * Pages of matches: the text of a dozen consecutive matches as a list shows them, the newest first. They are written
 * behind the ingest, in the order of keys, and leave no key out: what a page covers is all there is between its ends.
 */

/** How matches are shown in lists. */
export interface Listing {
  /** Names everything that the text depends on beside the match. */
  edition: string;
  /** A match as JSON, an object that begins with its `id` and holds no other object. */
  json(match: MatchHead): string;
}

/** As much text as fits into a row of SQLite that needs no second page of the file. */
const PAGE_BYTES = 4_000;
/** Matches of one transaction: others who write wait no longer than these take. */
const AT_ONCE = 500;
/** Fewer matches than nearly every page holds. */
const FEW = 12;

/**
 * Puts the next matches into pages, as many as fill them; anew from the first where they are of another edition.
 * @returns whether there may be more
 */
export async function pageMatches(db: Db, listing: Listing): Promise<boolean> {
  if (await isPaged(db, listing)) return false;
  return await db.transaction(async (tx) => {
    const { last, made_for } = await lockState(tx);
    const from = made_for === listing.edition ? last : 0;
    const matches = await matchesBehind(tx, from, AT_ONCE);
    const pages = fullPages(matches, listing);
    let covered = from;
    for (const { last: end, text } of pages) {
      const page = idOf(covered + 1) + idOf(end + 1) + listing.edition + text;
      await tx.run(sql`delete from match_pages where first_key > ${covered} and first_key <= ${end}`);
      await tx.run(sql`insert into match_pages (first_key, page) values (${covered + 1}, ${page})`);
      covered = end;
    }
    await tx.run(sql`update follow_states set last = ${covered}, made_for = ${listing.edition} where name = 'pages'`);
    return pages.length > 0;
  });
}

/** Whether so little is left that it fills no page. */
async function isPaged(db: Db, listing: Listing): Promise<boolean> {
  const state = await db.get<State>(sql`select last, made_for from follow_states where name = 'pages'`);
  if (state!.made_for !== listing.edition) return false;
  return fullPages(await matchesBehind(db, state!.last, FEW * 4), listing).length === 0;
}

interface State {
  last: number;
  made_for: string;
}

async function lockState(tx: Queryable): Promise<State> {
  const state = await tx.get<State>(
    sql`update follow_states set last = last where name = 'pages' returning last, made_for`,
  );
  return state!;
}

async function matchesBehind(tx: Queryable, last: number, limit: number): Promise<MatchHead[]> {
  return await tx.all<MatchHead>(sql`
    select key, head, started, finished from matches where key > ${last} order by key limit ${limit}`);
}

/** The last match of each page, and its text; what does not fill a page is left over. */
function fullPages(matches: readonly MatchHead[], { json }: Listing): { last: number; text: string }[] {
  const pages: { last: number; text: string }[] = [];
  let [texts, bytes, last]: [string[], number, number] = [[], 0, 0];
  for (const match of matches) {
    const text = json(match);
    const size = Buffer.byteLength(text) + 1;
    if (bytes + size > PAGE_BYTES && texts.length > 0) {
      pages.push({ last, text: texts.reverse().join(',') });
      [texts, bytes] = [[], 0];
    }
    texts.push(text);
    bytes += size;
    last = match.key;
  }
  return pages;
}

/** Takes matches out of their pages, in the transaction that withdraws them. */
export async function unpageMatches(tx: Queryable, keys: readonly number[]): Promise<void> {
  await lockState(tx);
  for (const key of keys) {
    const [row] = await tx.tuples(sql`
      select first_key, page from match_pages where first_key <= ${key} order by first_key desc limit 1`);
    if (row === undefined) continue;
    const [first, page] = row as [number, string];
    await tx.run(sql`update match_pages set page = ${without(page, idOf(key))} where first_key = ${first}`);
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

/**
 * Several lists, cut out of pages: matches with commas between them.
 * @returns for each list undefined where pages of this edition do not hold all of it
 */
export async function listsFromPages(
  db: Queryable,
  edition: string,
  asked: readonly ListAsked[],
): Promise<(string | undefined)[]> {
  const pages: string[][] = asked.map(() => []);
  for (const [place, page] of await db.tuples(pagesOf(asked))) pages[place as number]?.push(page as string);
  return asked.map((one, place) => cutList(pages[place]!.sort().reverse(), one, edition));
}

/** As `listsFromPages`, of one list. */
export async function listFromPages(db: Queryable, edition: string, asked: ListAsked): Promise<string | undefined> {
  const rows = await db.tuples(sql`
    select page from match_pages where first_key < ${asked.before}
    order by first_key desc limit ${pagesFor(asked.limit)}`);
  return cutList(
    rows.map(([page]) => page as string),
    asked,
    edition,
  );
}

/** How many pages hold so many matches, nearly always. */
const pagesFor = (limit: number): number => 1 + Math.ceil(limit / FEW);

const texts = new Map<number, readonly string[]>();

/** The pages of all lists in one statement, whose size is a power of two so that there are few different ones. */
function pagesOf(asked: readonly ListAsked[]): Sql {
  const size = 2 ** Math.ceil(Math.log2(asked.length));
  let strings = texts.get(size);
  if (strings === undefined) texts.set(size, (strings = textsOf(size)));
  const values: number[] = [];
  for (let place = 0; place < size; place++) {
    const { before, limit } = asked[place] ?? { before: 0, limit: 0 };
    values.push(before, pagesFor(limit));
  }
  return new Sql(strings, values);
}

function textsOf(size: number): string[] {
  const strings = [selectOf(0)];
  for (let place = 1; place < size; place++) strings.push(LIMIT, `) p union all ${selectOf(place)}`);
  return [...strings, LIMIT, ') p'];
}

const selectOf = (place: number): string =>
  `select * from (select ${place} as place, page from match_pages where first_key < `;

const LIMIT = ' order by first_key desc limit ';

/** @param pages the newest ones that begin below, the newest first */
function cutList(pages: readonly string[], { before, limit }: ListAsked, edition: string): string | undefined {
  let [list, left, upTo] = ['', limit, idOf(before)];
  for (const page of pages) {
    if (editionOf(page) !== edition || endOf(page) < upTo) return undefined;
    let from = HEAD;
    while (from < page.length && idAt(page, from) >= upTo) from = nextAt(page, from);
    let next = from;
    for (; left > 0 && next < page.length; left--) next = nextAt(page, next);
    if (next > from) list += list === '' ? page.slice(from, next - 1) : `,${page.slice(from, next - 1)}`;
    if (left === 0) return list;
    upTo = beginOf(page);
  }
  return upTo === FIRST ? list : undefined;
}

/** Where the first page begins. */
const FIRST = idOf(1);

import type { Db, Queryable } from '#db/db.ts';
import { identifier, sql } from '#db/sql.ts';
import { keepsPrivate } from './private-players.ts';

/** Sitemaps list the pages for search engines, without those of private players. A full file ends at a fixed key, and a new one begins. */

export const SITEMAP_KINDS = ['matches', 'players', 'maps'] as const;
export type SitemapKind = (typeof SITEMAP_KINDS)[number];

/** Keys in one file. The last file of a kind may exceed it until the next `cutSitemaps`. */
const KEYS_PER_FILE = 5_000;
/** The maximum of the sitemap protocol. */
const MAX = 50_000;

export interface SitemapFile {
  kind: SitemapKind;
  /** The first key of the file. */
  first_key: number;
}

export const sitemapFiles = (db: Queryable): Promise<SitemapFile[]> =>
  db.all(sql`select kind, first_key from sitemap_files order by kind, first_key limit ${MAX}`);

export interface SitemapEntry {
  key: number;
  /** Null except for players. */
  uuid: string | null;
}

/** The entries of a file; empty if there is no such file. */
export async function sitemapEntries(db: Queryable, { kind, first_key }: SitemapFile): Promise<SitemapEntry[]> {
  const uuid = kind === 'players' ? sql`uuid` : sql`null as uuid`;
  const isListed = kind === 'players' ? sql`and not ${keepsPrivate(sql`players.uuid`)}` : sql``;
  return await db.all<SitemapEntry>(sql`
    select key, ${uuid} from ${identifier(kind)} where key >= ${first_key}
      and exists (select 1 from sitemap_files where kind = ${kind} and first_key = ${first_key})
      and key < coalesce((select min(first_key) from sitemap_files where kind = ${kind} and first_key > ${first_key}),
        ${Number.MAX_SAFE_INTEGER}) ${isListed}
    order by key limit ${MAX}`);
}

/** Ends one full file of each kind and begins a new one. @returns whether another one may be full */
export async function cutSitemaps(db: Db): Promise<boolean> {
  let any = false;
  for (const kind of SITEMAP_KINDS) any = (await cut(db, kind)) || any;
  return any;
}

async function cut(db: Db, kind: SitemapKind): Promise<boolean> {
  const next = await db.get<{ key: number }>(sql`
    select key from ${identifier(kind)}
    where key >= (select max(first_key) from sitemap_files where kind = ${kind}) order by key limit 1 offset ${KEYS_PER_FILE}`);
  if (next === undefined) return false;
  await db.run(
    sql`insert into sitemap_files (kind, first_key) values (${kind}, ${next.key}) on conflict (kind, first_key) do nothing`,
  );
  return true;
}

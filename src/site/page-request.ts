import type { Clock } from '#platform/clock.ts';
import type { Config } from '#platform/config.ts';
import { HttpError } from '#http/errors.ts';
import { boundOf } from '#platform/ids.ts';
import type { Language } from '#http/languages.ts';
import type { Log } from '#platform/log.ts';
import { linkTo } from '#http/links.ts';
import type { Html, PageShell, PolicyAdditions } from '#http/page.ts';
import { isCleanText } from '#platform/text.ts';
import type { Db } from '#db/db.ts';
import type { BucketsAt } from '#store/game/time-buckets.ts';
import { type Formats, formatsIn } from './components/formats.ts';
import { type Text, TEXTS } from './text/index.ts';

/** The services that the pages of the site use. */
export interface Deps {
  db: Db;
  clock: Clock;
  config: Config;
  log: Log;
  shell: PageShell;
  bucketsAt: BucketsAt;
}

/** One request for a page: its parameters, its language and its formats. */
export class PageRequest {
  readonly deps: Deps;
  readonly language: Language;
  readonly text: Text;
  readonly formats: Formats;
  readonly url: URL;
  readonly params: Readonly<Record<string, string>>;
  readonly now: number;

  constructor(deps: Deps, language: Language, url: URL, params: Readonly<Record<string, string>>) {
    this.deps = deps;
    this.language = language;
    this.text = TEXTS[language];
    this.formats = formatsIn(language, deps.config.TIME_ZONE);
    this.url = url;
    this.params = params;
    this.now = deps.clock.now();
  }

  get db(): Db {
    return this.deps.db;
  }

  /** The moment before which a heartbeat no longer counts. */
  get presenceSince(): number {
    return this.now - this.deps.config.PRESENCE_TIMEOUT * 1000;
  }

  /**
   * A parameter of the query; undefined where it is empty.
   * @throws HttpError 400 for what no name or id can be
   */
  query(name: string): string | undefined {
    const value = this.url.searchParams.get(name) ?? '';
    if (value === '') return undefined;
    if (value.length > 256 || !isCleanText(value)) throw new HttpError(400, name, this.text.error.parameter(name));
    return value;
  }

  /** `max_id`, read as the key that every listed key is smaller than, as the data API reads it. */
  get before(): number {
    const id = this.query('max_id');
    if (id === undefined) return Number.MAX_SAFE_INTEGER;
    if (id.length > 64) throw new HttpError(400, 'max_id', this.text.error.parameter('max_id'));
    return boundOf(id);
  }

  /** One of some values, or the first of them. */
  choice<const T extends string>(name: string, values: readonly T[]): T {
    const value = this.query(name);
    if (value === undefined) return values[0]!;
    const known = values.find((one) => one === value);
    if (known === undefined) throw new HttpError(400, name, this.text.error.choice(name, values.join(', ')));
    return known;
  }

  /** This page's address with other parameters: see `linkTo`. */
  link(changes: Readonly<Record<string, string | undefined>>): string {
    return linkTo(this.url, changes);
  }

  missing(): HttpError {
    return new HttpError(404, 'not_found', this.text.error.missing);
  }
}

/** The content of one page; the rest is the same on all. */
export interface PageContent {
  title: string;
  /** A sentence or two for those who see only a link. */
  description: string;
  /** The path that is the page's own, whatever address led here. */
  path: string;
  main: Html;
  /** The part of the site that the page belongs to. */
  part?: Part | undefined;
  /** The path of a picture for those who see only a link. */
  picture?: { path: string; alt: string; large: boolean } | undefined;
  feed?: { path: string; title: string } | undefined;
  status?: number;
  kind?: string;
  /** Scripts and stylesheets that only this page needs, as names of assets. */
  scripts?: readonly string[];
  stylesheets?: readonly string[];
  /** Sources beside our own that only this page's policy allows. */
  policy?: PolicyAdditions;
  /** Whether search engines are to leave the page out. */
  unlisted?: boolean;
}

export const PARTS = ['matches', 'maps', 'leaderboards', 'players', 'punishments', 'developers'] as const;
export type Part = (typeof PARTS)[number];

/** Answers a request with a page, or with a response of another kind. */
export type Show = (request: PageRequest) => Promise<PageContent | Response>;

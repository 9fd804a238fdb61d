import type { Clock } from '#platform/clock.ts';
import type { Config } from '#platform/config/config.ts';
import { HttpError } from '#http/errors.ts';
import { boundOf, keyOf } from '#platform/ids.ts';
import { type Language, LOCALES } from '#http/languages.ts';
import type { Log } from '#platform/process/log.ts';
import { linkTo } from '#http/links.ts';
import type { Html, PageShell, PolicyAdditions } from '#http/page.ts';
import { isCleanText } from '#text/text.ts';
import type { Db } from '#db/db.ts';
import type { Account } from '#store/accounts/accounts.ts';
import type { BucketsAt } from '#store/game/time-buckets.ts';
import type { Cards } from './cards.ts';
import type { Heads } from './heads.ts';
import type { Climber } from '#store/game/leaderboards/leaderboards.ts';
import { en, type Text } from './text/en.ts';
import { ja } from './text/ja.ts';

const TEXTS: Record<Language, Text> = { en, ja };

/** The dependencies of the site's pages. */
export interface Deps {
  db: Db;
  clock: Clock;
  config: Config;
  log: Log;
  shell: PageShell;
  bucketsAt: BucketsAt;
  cards: Cards;
  heads: Heads;
  highlights: () => Promise<Highlights>;
  /** The OpenAPI document of the data API. */
  apiDocument: () => Promise<object>;
}

/** The match of the day and the climbers of the week, by keys. */
export interface Highlights {
  match: number | undefined;
  climbers: readonly Climber[];
}

/** The person who is signed in on the site, which shares its session with the console. */
export interface SignedIn {
  account: Account;
  /** CSRF token of the session's forms. */
  formToken: string;
}

/** What the headers of a request say. */
interface RequestHeaders {
  ifNoneMatch?: string | undefined;
  person?: () => Promise<SignedIn | undefined>;
}

/** One request for a page, with its parameters, language and formats. */
export class PageRequest {
  readonly deps: Deps;
  readonly language: Language;
  readonly text: Text;
  readonly formats: Formats;
  readonly url: URL;
  readonly params: Readonly<Record<string, string>>;
  readonly now: number;
  /** `If-None-Match` of the request. */
  readonly ifNoneMatch: string | undefined;
  /** Finds the person who is signed in; pages are the same for everybody else. */
  readonly person: () => Promise<SignedIn | undefined>;

  constructor(
    deps: Deps,
    language: Language,
    url: URL,
    params: Readonly<Record<string, string>>,
    { ifNoneMatch, person = async () => undefined }: RequestHeaders = {},
  ) {
    this.deps = deps;
    this.language = language;
    this.text = TEXTS[language];
    this.formats = formatsIn(language, deps.config.TIME_ZONE);
    this.url = url;
    this.params = params;
    this.now = deps.clock.now();
    this.ifNoneMatch = ifNoneMatch;
    this.person = person;
  }

  get db(): Db {
    return this.deps.db;
  }

  /** The earliest time, in epoch milliseconds, of a heartbeat that still counts as online. */
  get presenceSince(): number {
    return this.now - this.deps.config.PRESENCE_TIMEOUT * 1000;
  }

  /**
   * A query parameter; undefined if it is absent or empty.
   * @throws HttpError 400 for more than 256 characters, control characters or broken Unicode, which no name or id has
   */
  query(name: string): string | undefined {
    return this.queries(name)[0];
  }

  /** All values of a query parameter, like `query`. */
  queries(name: string): string[] {
    const values = this.url.searchParams.getAll(name).filter((value) => value !== '');
    if (values.some((value) => value.length > 256 || !isCleanText(value)))
      throw new HttpError(400, name, this.text.error.parameter(name));
    return values;
  }

  /**
   * The record whose id is in the path.
   * @throws HttpError 404
   */
  async named<T>(read: (key: number) => Promise<T | undefined>): Promise<T> {
    const key = keyOf(this.params['id'] ?? '');
    const found = key === undefined ? undefined : await read(key);
    if (found === undefined) throw this.notFound();
    return found;
  }

  /** The exclusive upper bound of the listed keys, read from `max_id` in the same way as the data API does. */
  get beforeKey(): number {
    const id = this.query('max_id');
    if (id === undefined) return Number.MAX_SAFE_INTEGER;
    if (id.length > 64) throw new HttpError(400, 'max_id', this.text.error.parameter('max_id'));
    return boundOf(id);
  }

  /**
   * A query parameter that must be one of `values`; the first of them if it is absent.
   * @throws HttpError 400
   */
  choice<const T extends string>(name: string, values: readonly T[]): T {
    const value = this.query(name);
    if (value === undefined) return values[0]!;
    const chosen = values.find((candidate) => candidate === value);
    if (chosen === undefined) throw new HttpError(400, name, this.text.error.choice(name, values.join(', ')));
    return chosen;
  }

  /** The address of this page with changed query parameters; see `linkTo`. */
  link(changes: Readonly<Record<string, string | undefined>>): string {
    return linkTo(this.url, changes);
  }

  notFound(): HttpError {
    return new HttpError(404, 'not_found', this.text.error.notFound);
  }
}

/** The size that Open Graph images are shown at without cropping. */
export const CARD_SIZE = { width: 1_200, height: 630 };

export interface Picture {
  path: string;
  alt: string;
  /** Whether it is a share card; other pictures may have any size. */
  large: boolean;
}

/** The content of one page. `layout.ts` adds the header, the footer and the metadata. */
export interface PageContent {
  title: string;
  /** One or two sentences for search results and link previews. */
  description: string;
  /** The canonical path of the page, with its query. */
  path: string;
  main: Html;
  /** The parts of `main` that follow what changes. */
  live?: LiveParts;
  /** The entry of the main navigation that is marked as current. */
  section?: Section | undefined;
  /** The image of link previews (Open Graph). */
  picture?: Picture | undefined;
  feeds?: readonly { path: string; title: string }[];
  status?: number;
  /** The class of the body element, for the stylesheet. */
  kind?: string;
  /** The asset names of scripts that only this page needs. */
  scripts?: readonly string[];
  /** Additional sources in the Content-Security-Policy of this page. */
  policy?: PolicyAdditions;
  /** Tells search engines not to index the page. */
  noIndex?: boolean;
}

/** What a page shows of the present: `/live` sends it again when it changes, the same to all browsers of a language. */
export interface LiveParts {
  /** The content of each element with `data-part`, by that name. */
  parts: Readonly<Record<string, Html>>;
  /** A sentence that screen readers announce when it changes. */
  says: string;
}

/** A page that follows what it shows, by `/live`. */
export interface LivePage extends PageContent {
  live: LiveParts;
}

/** The entries of the main navigation; each one is also the path of its page. */
export const SECTIONS = ['matches', 'maps', 'leaderboards', 'players', 'punishments', 'developers'] as const;
export type Section = (typeof SECTIONS)[number];

/** Handles a request with a page, or with a response of another kind (redirect, image, feed). */
export type PageHandler = (request: PageRequest) => Promise<PageContent | Response>;

/** Formats of numbers and times in one language; times are in the network's time zone unless stated otherwise. */
export interface Formats {
  readonly number: (value: number) => string;
  /** With two decimal places. */
  readonly ratio: (value: number) => string;
  readonly percent: (fraction: number) => string;
  /** `1 Mar 2026, 12:00 UTC` */
  readonly timestamp: (epochMs: number) => string;
  /** Like `timestamp`, with seconds. */
  readonly exact: (epochMs: number) => string;
  /** The date of a midnight UTC: `1 Mar`. */
  readonly day: (midnight: number) => string;
  /** The month of a midnight UTC: `Mar 2026`. */
  readonly month: (midnight: number) => string;
  /** The month of a midnight UTC without its year: `March`. */
  readonly monthName: (midnight: number) => string;
  /** The date of a midnight UTC with its year: `1 Mar 2026`. */
  readonly longDay: (midnight: number) => string;
  /** Seconds as hours and minutes (`3 hrs 5 mins`), shorter times as minutes or seconds. */
  readonly duration: (seconds: number) => string;
}

/** Intl formats are slow to construct, and there are only two languages and one time zone. */
const formatCache = new Map<string, Formats>();

export const formatsIn = (language: Language, zone: string): Formats =>
  formatCache.getOrInsertComputed(`${language} ${zone}`, () => build(LOCALES[language], zone));

function build(locale: string, zone: string): Formats {
  const number = new Intl.NumberFormat(locale);
  const ratio = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 });
  const timestamps = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat(locale, options);
    return (epochMs: number): string => format.format(epochMs);
  };
  const inZone = { timeZone: zone, hourCycle: 'h23', timeZoneName: 'short' } as const;
  return {
    number: (value) => number.format(value),
    ratio: (value) => ratio.format(value),
    percent: (fraction) => percent.format(fraction),
    timestamp: timestamps({ ...inZone, ...DATE, hour: '2-digit', minute: '2-digit' }),
    exact: timestamps({ ...inZone, ...DATE, hour: '2-digit', minute: '2-digit', second: '2-digit' }),
    day: timestamps({ timeZone: 'UTC', day: 'numeric', month: 'short' }),
    month: timestamps({ timeZone: 'UTC', month: 'short', year: 'numeric' }),
    monthName: timestamps({ timeZone: 'UTC', month: 'long' }),
    longDay: timestamps({ timeZone: 'UTC', ...DATE }),
    duration: durations(locale),
  };
}

const DATE = { day: 'numeric', month: 'short', year: 'numeric' } as const;

function durations(locale: string): (seconds: number) => string {
  const unit = (name: string) => {
    const format = new Intl.NumberFormat(locale, { style: 'unit', unit: name, unitDisplay: 'short' });
    return (value: number): string => format.format(value);
  };
  const [hours, minutes, seconds] = [unit('hour'), unit('minute'), unit('second')];
  return (value) => {
    const whole = Math.max(0, Math.round(value));
    if (whole < 60) return seconds(whole);
    if (whole < 3_600) return minutes(Math.floor(whole / 60));
    const rest = Math.floor((whole % 3_600) / 60);
    return rest === 0 || whole >= 360_000
      ? hours(Math.floor(whole / 3_600))
      : `${hours(Math.floor(whole / 3_600))} ${minutes(rest)}`;
  };
}

import type { Clock } from '#base/clock.ts';
import type { Config } from '#base/config.ts';
import { WireError } from '#base/errors.ts';
import { boundOf } from '#base/ids.ts';
import type { Language } from '#base/languages.ts';
import { type Frame, ownPath } from '#base/page.ts';
import { isCleanText } from '#base/text.ts';
import type { Db } from '#db/db.ts';
import type { BucketsAt } from '#records/buckets.ts';
import { type Formats, formatsIn } from './parts/formats.ts';
import { type Text, TEXTS } from './text/index.ts';

/** What the pages of the site are made with. */
export interface Kit {
  db: Db;
  clock: Clock;
  config: Config;
  frame: Frame;
  bucketsAt: BucketsAt;
}

/** One reader's request for a page: what its address says, and how the answer is to be written. */
export class Visit {
  readonly kit: Kit;
  readonly language: Language;
  readonly text: Text;
  readonly formats: Formats;
  readonly url: URL;
  readonly params: Readonly<Record<string, string>>;
  readonly now: number;

  constructor(kit: Kit, language: Language, url: URL, params: Readonly<Record<string, string>>) {
    this.kit = kit;
    this.language = language;
    this.text = TEXTS[language];
    this.formats = formatsIn(language, kit.config.TIME_ZONE);
    this.url = url;
    this.params = params;
    this.now = kit.clock.now();
  }

  get db(): Db {
    return this.kit.db;
  }

  /** The moment before which a heartbeat no longer counts. */
  get presenceSince(): number {
    return this.now - this.kit.config.PRESENCE_TIMEOUT * 1000;
  }

  /**
   * A parameter of the query; undefined where it is empty.
   * @throws WireError 400 for what no name or id can be
   */
  query(name: string): string | undefined {
    const value = this.url.searchParams.get(name) ?? '';
    if (value === '') return undefined;
    if (value.length > 256 || !isCleanText(value)) throw new WireError(400, name, this.text.error.parameter(name));
    return value;
  }

  /** `max_id`, read as the key that every listed key is smaller than, as the data API reads it. */
  get before(): number {
    const id = this.query('max_id');
    if (id === undefined) return Number.MAX_SAFE_INTEGER;
    if (id.length > 64) throw new WireError(400, 'max_id', this.text.error.parameter('max_id'));
    return boundOf(id);
  }

  /** One of some values, or the first of them. */
  choice<const T extends string>(name: string, values: readonly T[]): T {
    const value = this.query(name);
    if (value === undefined) return values[0]!;
    const known = values.find((one) => one === value);
    if (known === undefined) throw new WireError(400, name, this.text.error.choice(name, values.join(', ')));
    return known;
  }

  /** This page's path with other parameters: those given are set, `undefined` ones go, `max_id` goes unless given. */
  link(changes: Readonly<Record<string, string | undefined>>): string {
    const query = new URLSearchParams(this.url.searchParams);
    query.delete('lang');
    query.delete('max_id');
    query.delete('behind');
    for (const [name, value] of Object.entries(changes)) {
      if (value === undefined) query.delete(name);
      else query.set(name, value);
    }
    const path = ownPath(this.url);
    return query.size === 0 ? path : `${path}?${query.toString()}`;
  }

  missing(): WireError {
    return new WireError(404, 'not_found', this.text.error.missing);
  }
}

/** What a page's function gives back: its content, or an answer of another kind. */
export type Shown = PageContent | Response;
export type Show = (visit: Visit) => Promise<Shown>;
export type { PageContent } from './layout.ts';
import type { PageContent } from './layout.ts';

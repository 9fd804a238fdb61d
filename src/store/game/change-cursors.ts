import { createHmac, timingSafeEqual } from 'node:crypto';
import type { SecretKey } from '#platform/crypto/secret-key.ts';
import type { Feed } from './changes.ts';

/** A place in the feed of changes. Callers get it as text that they do not read. */
export interface Cursor {
  /** The id of the feed. */
  feed: string;
  /** The number of the last change before the place. */
  number: number;
  /** Set as long as the follower reads what had changed before it began at the start. */
  walk?: Walk | undefined;
}

/** A first reading of the whole feed, which ends at the head that the feed had at its beginning. */
export interface Walk {
  head: number;
  /** Set if it is paced instead of counted. */
  grant?: WalkGrant | undefined;
}

/** The application that a walk is granted to, and when, in epoch milliseconds. */
export interface WalkGrant {
  application: number;
  began: number;
}

/** Why a follower has to begin again with an empty copy. */
export const RESET_REASONS = ['expired', 'other_feed', 'beyond_head'] as const;
export type ResetReason = (typeof RESET_REASONS)[number];

const PURPOSE = 'cursors of the feed of changes';
/** 96 bits: forging one takes more requests than any limit allows. */
const SIGNATURE_BYTES = 12;
const SIGNATURE_LENGTH = (SIGNATURE_BYTES * 4) / 3;
const NO_FEED = '';
const FORM = /^([0-9a-f]{1,32})(?:-([0-9a-z]{1,11})){1,4}$/;

/** Writes and reads cursors as signed text, so that a walk without cost cannot be forged. */
export class Cursors {
  readonly #key: Buffer;

  constructor(secret: SecretKey) {
    this.#key = secret.derive(PURPOSE);
  }

  write({ feed, number, walk }: Cursor): string {
    const { head, grant } = walk ?? {};
    const numbers = [number, head, grant?.application, grant?.began].filter((each) => each !== undefined);
    const text = [feed, ...numbers.map((each) => each.toString(36))].join('-');
    return Buffer.from(text, 'latin1').toString('base64url') + this.#sign(text);
  }

  /**
   * Undefined for a text that is no cursor. One that another key has signed belongs to no feed, so that its follower begins
   * again instead of stopping for good: the secret key was changed, or the database is in use under another one.
   */
  read(written: string): Cursor | undefined {
    const text = Buffer.from(written.slice(0, -SIGNATURE_LENGTH), 'base64url').toString('latin1');
    if (!FORM.test(text)) return undefined;
    const cursor = parsed(text);
    return isSame(this.write(cursor), written) ? cursor : { feed: NO_FEED, number: 0 };
  }

  #sign(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest().subarray(0, SIGNATURE_BYTES).toString('base64url');
  }
}

function parsed(text: string): Cursor {
  const [feed = '', ...digits] = text.split('-');
  const [number = 0, head, application, began] = digits.map((each) => Number.parseInt(each, 36));
  const grant = application === undefined || began === undefined ? undefined : { application, began };
  return { feed, number, walk: head === undefined ? undefined : { head, grant } };
}

const isSame = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));

/**
 * Why a follower at this place would miss changes, if it would. One that walks misses no deleted tombstones of before the
 * beginning of its walk: it never had those resources.
 */
export function resetReason({ feed, number, walk }: Cursor, { id, head, floor }: Feed): ResetReason | undefined {
  if (feed !== id) return 'other_feed';
  if (number > head) return 'beyond_head';
  return floor > Math.max(number, walk?.head ?? 0) ? 'expired' : undefined;
}

/** The place after a page: the follower has everything up to `number`. */
export function cursorAfter({ feed, walk }: Cursor, number: number): Cursor {
  return { feed, number, walk: walk !== undefined && number < walk.head ? walk : undefined };
}

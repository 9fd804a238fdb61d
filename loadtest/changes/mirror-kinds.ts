import { CLIENT_MIRRORS } from './client-mirror.ts';
import { FEED_MIRRORS } from './feed-mirrors.ts';
import { WEBHOOK_MIRRORS } from './webhook-mirror.ts';
import { STREAM_MIRRORS } from './stream-mirror.ts';
import type { Kind, MirrorDisk } from './mirror-disk.ts';

/** The address of the data API behind a proxy, and the place of a mirror. */
export interface Following {
  origin: string;
  token: string;
  seed: number;
  /** Where deliveries come, and what signs them; undefined for mirrors that ask. */
  receiver: { port: number; secret: string } | undefined;
  disk: MirrorDisk;
}

/** How a mirror follows. */
export interface MirrorValue {
  /** The kinds of resources that it has; undefined: all. */
  kinds?: readonly Kind[];
  /** Whether changes are delivered to it. */
  receives?: true;
  /** Never ends by itself. */
  follow: (following: Following) => Promise<void>;
}

export const MIRRORS = { ...FEED_MIRRORS, ...STREAM_MIRRORS, ...CLIENT_MIRRORS, ...WEBHOOK_MIRRORS } satisfies Record<
  string,
  MirrorValue
>;

export type MirrorKind = keyof typeof MIRRORS;
export const KINDS_OF_MIRRORS = Object.keys(MIRRORS) as MirrorKind[];

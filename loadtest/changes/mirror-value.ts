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

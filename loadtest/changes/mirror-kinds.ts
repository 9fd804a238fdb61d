import { CLIENT_MIRRORS } from './client-mirror.ts';
import { FEED_MIRRORS } from './feed-mirrors.ts';
import { WEBHOOK_MIRRORS } from './webhook-mirror.ts';
import { STREAM_MIRRORS } from './stream-mirror.ts';
import type { MirrorValue } from './mirror-value.ts';

export const MIRRORS = { ...FEED_MIRRORS, ...STREAM_MIRRORS, ...CLIENT_MIRRORS, ...WEBHOOK_MIRRORS } satisfies Record<
  string,
  MirrorValue
>;

export type MirrorKind = keyof typeof MIRRORS;
export const KINDS_OF_MIRRORS = Object.keys(MIRRORS) as MirrorKind[];

import type { ServerResponse } from 'node:http';
import type { Credentials } from '#http/credentials.ts';
import type { Cursor } from '#store/game/change-cursors.ts';
import type { ResourceKind } from '#store/game/changes.ts';

/** What a stream sends. */
export interface StreamContent {
  /** The place after which it begins. */
  from: Cursor;
  /** The number of the newest change when it was requested. */
  head: number;
  /** The kinds of resources; removals of the others are sent as well. */
  kinds: readonly ResourceKind[];
  /** Whether it also sends the presence on servers and running matches. */
  presence: boolean;
}

/** A stream that was authorized. Plain data: a process can send it to another. */
export interface StreamOrder extends StreamContent {
  /** Checked again as long as the stream is open. */
  credentials: Credentials;
  /** Who reads the past one stream after the other. */
  subject: string;
  /** The key of the application; undefined for a game server. */
  application: number | undefined;
}

/** The result of an endpoint that begins a stream. */
export class StreamStart {
  readonly content: StreamContent;

  constructor(content: StreamContent) {
    this.content = content;
  }
}

/** Sends the events of streams, in this thread or in another process. */
export interface StreamHost {
  /** Takes over a response whose headers are sent. Resolves when the stream has ended, also if it fails. */
  follow(response: ServerResponse, order: StreamOrder): Promise<void>;
  /** Ends all streams. */
  stop(): void;
}

import type { EventStream } from '#http/event-stream.ts';
import type { StreamOrder } from '../stream-order.ts';

/** An open stream and what it sends. */
export interface Subscriber {
  stream: EventStream;
  order: StreamOrder;
}

import { MAX_GROUP_WEIGHT } from './event-queue.ts';
import { type Item, totalWeight } from './prepare.ts';

/** The events of one request, in a list of those that wait for a transaction. */
interface Waiting {
  readonly item: readonly Item[];
}

/** Maximum events of one transaction. A single request may exceed it, and `MAX_GROUP_WEIGHT`. */
const MAX_GROUP_SIZE = 256;
/** Maximum weight of one sender's requests in a transaction that it shares with other senders. */
export const SENDER_SHARE = MAX_GROUP_WEIGHT / 4;

/**
 * Chooses the requests of each transaction, so that a sender with heavy ones delays the others by one transaction at most.
 * Senders share a transaction, each with its oldest requests up to `SENDER_SHARE`. A sender with more than that has the
 * transaction after a shared one for itself. The requests of one sender stay in their order.
 */
export class FairGroups {
  /** Whether the last transaction left requests over the share of their sender. */
  #passedOver = false;

  /** @param waiting at least one request, oldest first */
  next<T extends Waiting>(waiting: readonly T[]): T[] {
    const { shared, over, isShared } = share(waiting);
    const isForOne = over !== undefined && (shared.length === 0 || this.#passedOver || !isShared);
    this.#passedOver = !isForOne && over !== undefined;
    return isForOne ? firstOf(waiting.filter((request) => senderOf(request) === over)) : shared;
  }
}

/**
 * @returns the requests of a shared transaction, the first sender that waits with more than its share, and whether
 * others wait too
 */
function share<T extends Waiting>(waiting: readonly T[]): { shared: T[]; over: number | undefined; isShared: boolean } {
  const weights = new Map<number, number>();
  let over: number | undefined;
  const within = waiting.filter((request) => {
    const sender = senderOf(request);
    const weight = (weights.get(sender) ?? 0) + totalWeight(request.item);
    weights.set(sender, weight);
    if (weight > SENDER_SHARE) over ??= sender;
    return weight <= SENDER_SHARE;
  });
  return { shared: firstOf(within), over, isShared: weights.size > 1 };
}

/** The oldest requests, whole ones, that fit into one transaction. */
function firstOf<T extends Waiting>(requests: readonly T[]): T[] {
  let [size, weight, end] = [0, 0, 0];
  while (end < requests.length && (end === 0 || size < MAX_GROUP_SIZE)) {
    const { item } = requests[end]!;
    weight += totalWeight(item);
    if (end > 0 && weight > MAX_GROUP_WEIGHT) break;
    size += item.length;
    end++;
  }
  return requests.slice(0, end);
}

/** The key of the server that sent a request, 0 for an operator. */
function senderOf({ item: [first] }: Waiting): number {
  return first?.sender.kind === 'server' ? first.sender.serverKey : 0;
}

import { type FeedItem, isRemoval } from './mirror-disk.ts';
import type { Following } from './mirror-value.ts';

/** What mirrors of several kinds read from the data API. */

/** @returns undefined for lost connections, outages and limits */
export async function read(
  { origin, token }: Following,
  path: string,
  accept = 'application/json',
): Promise<{ status: number; text: string } | undefined> {
  try {
    const response = await fetch(origin + path, { headers: { authorization: `Bearer ${token}`, accept } });
    const text = await response.text();
    return [429, 503].includes(response.status) ? undefined : { status: response.status, text };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return undefined;
  }
}

/** @throws Error if the body of a 410 does not say that the mirror has to begin again, and why */
export function resetReason(text: string): string {
  const { reset, reason } = JSON.parse(text) as { reset?: boolean; reason?: string };
  if (reset !== true || reason === undefined) throw new Error(`410 without reset and reason: ${text}`);
  return reason;
}

/**
 * Changes with their resources, each from its own address.
 * @returns undefined if one could not be read
 */
export async function withResources(following: Following, items: readonly FeedItem[]): Promise<FeedItem[] | undefined> {
  const complete: FeedItem[] = [];
  for (const item of items) {
    if (isRemoval(item)) complete.push(item);
    else {
      const answer = await read(following, new URL(item.url!).pathname);
      if (answer === undefined) return undefined;
      // Removed in the meantime: its tombstone follows.
      if (answer.status === 404) complete.push(item);
      else if (answer.status === 200) complete.push({ ...item, resource: JSON.parse(answer.text) as unknown });
      else throw new Error(`GET ${item.url}: ${answer.status} ${answer.text}`);
    }
  }
  return complete;
}

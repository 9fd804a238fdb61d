import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** What a sender does next. */
export type IngestResponse =
  | { receipts: Receipt[] }
  /** The request itself is refused: send less at once, or set the only event aside. */
  | { refused: string }
  /** Nothing was taken, or nobody knows: send the same again after a while. */
  | { trouble: string; afterMs: number | undefined };

export interface Receipt {
  id: string;
  status: 'accepted' | 'duplicate' | 'rejected';
  receipt?: string;
  note?: string;
  reason?: string;
  place?: string;
  retry?: true;
}

const PATIENCE_MS = 30_000;
const PACKED_FROM = 2_048;
const pack = promisify(gzip);

/** Posts events, which are JSON already, as an array. */
export async function postEvents(
  { url, key }: { url: string; key: string },
  lines: string[],
  stop?: AbortSignal,
): Promise<IngestResponse> {
  const body = Buffer.from(`[${lines.join(',')}]`);
  const packed = body.length >= PACKED_FROM;
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  try {
    const response = await fetch(new URL('/events', url), {
      method: 'POST',
      headers: packed ? { ...headers, 'content-encoding': 'gzip' } : headers,
      body: packed ? await pack(body) : body,
      signal: AbortSignal.any([AbortSignal.timeout(PATIENCE_MS), ...(stop === undefined ? [] : [stop])]),
      redirect: 'error',
    });
    return await answerOf(response, lines.length);
  } catch (error) {
    const { message, cause } = error as Error;
    return { trouble: cause instanceof Error ? `${message}: ${cause.message}` : message, afterMs: undefined };
  }
}

async function answerOf(response: Response, count: number): Promise<IngestResponse> {
  const body = (await response.json().catch(() => undefined)) as unknown;
  if (response.status === 200 && Array.isArray(body) && body.length === count) return { receipts: body as Receipt[] };
  const { error_description } = (body ?? {}) as { error_description?: string };
  const sentence = `${response.status} ${error_description ?? response.statusText}`;
  if (response.status === 400 || response.status === 413) return { refused: sentence };
  return { trouble: sentence, afterMs: secondsOf(response.headers.get('retry-after')) };
}

function secondsOf(header: string | null): number | undefined {
  return header !== null && /^\d{1,6}$/.test(header) ? Number(header) * 1000 : undefined;
}

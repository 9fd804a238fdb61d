import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** The response to a batch, by what the sender does next. */
export type IngestResponse =
  | { receipts: Receipt[] }
  /** The service refused the whole request: send fewer events, or set a single one aside. */
  | { refused: string }
  /** No event was stored, or the response was lost: send the same batch again later. */
  | { trouble: string; afterMs: number | undefined };

export interface Receipt {
  id: string;
  status: 'accepted' | 'duplicate' | 'rejected';
  receipt?: string;
  note?: string;
  /** Values of an accepted event that are not plausible. */
  warnings?: Problem[];
  /** How many players of an accepted event were not known before. */
  new_players?: number;
  reason?: string;
  place?: string;
  /** All problems of a rejected event, where there are several. */
  problems?: Problem[];
  retry?: true;
}

/** What is wrong, and the member that is wrong: `data.teams.0.players.3.uuid`. */
export interface Problem {
  reason: string;
  place: string;
}

const TIMEOUT_MS = 30_000;
/** Bodies from this many characters on are compressed. */
const MIN_COMPRESSED_LENGTH = 2_048;
const compress = promisify(gzip);

/**
 * Posts events as a JSON array.
 * @param lines the JSON of each event
 */
export async function postEvents(
  { url, key }: { url: string; key: string },
  lines: string[],
  stop?: AbortSignal,
): Promise<IngestResponse> {
  const body = Buffer.from(`[${lines.join(',')}]`);
  const compressed = body.length >= MIN_COMPRESSED_LENGTH;
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  try {
    const response = await fetch(new URL('/events', url), {
      method: 'POST',
      headers: compressed ? { ...headers, 'content-encoding': 'gzip' } : headers,
      body: compressed ? await compress(body) : body,
      signal: AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), ...(stop === undefined ? [] : [stop])]),
      redirect: 'error',
    });
    return await readResponse(response, lines.length);
  } catch (error) {
    const { message, cause } = error as Error;
    return { trouble: cause instanceof Error ? `${message}: ${cause.message}` : message, afterMs: undefined };
  }
}

async function readResponse(response: Response, count: number): Promise<IngestResponse> {
  const body = (await response.json().catch(() => undefined)) as unknown;
  if (response.status === 200 && Array.isArray(body) && body.length === count) return { receipts: body as Receipt[] };
  const { error_description } = (body ?? {}) as { error_description?: string };
  const sentence = `${response.status} ${error_description ?? response.statusText}`;
  if (response.status === 400 || response.status === 413) return { refused: sentence };
  return { trouble: sentence, afterMs: millisecondsOf(response.headers.get('retry-after')) };
}

function millisecondsOf(header: string | null): number | undefined {
  return header !== null && /^\d{1,6}$/.test(header) ? Number(header) * 1000 : undefined;
}

/** A request that failed. */
export class ScorehallError extends Error {
  override readonly name: string = 'ScorehallError';
  /** The HTTP status; undefined if there was no response. */
  readonly status: number | undefined;
  /** The code of the service, such as `not_found`; `network` or `timeout` without a response; `rate_limit` beyond `maxWaitMs`. */
  readonly code: string;
  /** The id of the request in the log of the service. */
  readonly requestId: string | undefined;
  /** When the service asks for the next request, in milliseconds from now. */
  readonly retryAfterMs: number | undefined;

  constructor(code: string, message: string, { cause, ...facts }: ErrorFacts = {}) {
    super(message, { cause });
    this.code = code;
    this.status = facts.status;
    this.requestId = facts.requestId;
    this.retryAfterMs = facts.retryAfterMs;
  }

  /** Whether the same request can succeed later. */
  get isTransient(): boolean {
    return ['network', 'timeout', 'rate_limit'].includes(this.code) || (this.status ?? 0) >= 500;
  }
}

export interface ErrorFacts {
  status?: number;
  requestId?: string | undefined;
  retryAfterMs?: number | undefined;
  cause?: unknown;
}

/** The cursor is of no use any more: delete the copy and begin again without a cursor. `mirror` does it by itself. */
export class ResetError extends ScorehallError {
  override readonly name = 'ResetError';
  /** `expired`, `other_feed` or `beyond_head`. */
  readonly reason: string;

  constructor(code: string, message: string, reason: string, facts: ErrorFacts = {}) {
    super(code, message, facts);
    this.reason = reason;
  }
}

/** A delivery that does not come from the service, or is too old. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}

/** A wrong header must not stop a client for days; the service's windows last an hour. */
export const MAX_WAIT_MS = 3_600_000;
const MAX_QUOTED = 200;

/** The error that a response describes; reads its body. */
export async function responseError(response: Response): Promise<ScorehallError> {
  const text = await response.text();
  const { error, error_description, reset, reason } = jsonObject(text);
  const facts: ErrorFacts = {
    status: response.status,
    requestId: response.headers.get('x-request-id') ?? undefined,
    retryAfterMs: retryAfter(response.headers),
  };
  const isError = typeof error === 'string' && typeof error_description === 'string';
  const code = isError ? error : 'unexpected_response';
  const message = isError
    ? error_description
    : `${response.url} answered ${response.status}: ${text.slice(0, MAX_QUOTED)}`;
  return reset === true
    ? new ResetError(code, message, String(reason), facts)
    : new ScorehallError(code, message, facts);
}

/** What `fetch` threw, as an error of this package. */
export function networkError(error: unknown, url: string): ScorehallError {
  if (error instanceof ScorehallError) return error;
  const isTimeout = error instanceof DOMException && error.name === 'TimeoutError';
  const message = `${new URL(url).origin} ${isTimeout ? 'did not answer in time' : 'cannot be reached'}`;
  return new ScorehallError(isTimeout ? 'timeout' : 'network', message, { cause: error });
}

function retryAfter(headers: Headers): number | undefined {
  const seconds = headers.get('retry-after');
  return seconds !== null && /^\d+$/.test(seconds) ? Math.min(Number(seconds) * 1000, MAX_WAIT_MS) : undefined;
}

export function jsonObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

import { Unavailable } from '#platform/errors.ts';

/**
 * An error for the client: status, error code and a sentence. Any other error that a handler throws becomes 500, or 503 if
 * it is `Unavailable`.
 */
export class HttpError extends Error {
  readonly status: number;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Identifies the entry in the log that explains an error of ours; shown to the client. */
  readonly requestId: string | undefined;

  constructor(
    status: number,
    code: string,
    description: string,
    headers: Record<string, string> = {},
    requestId?: string,
  ) {
    super(description);
    this.name = 'HttpError';
    this.status = status;
    this.code = code;
    this.headers = headers;
    this.requestId = requestId;
  }

  /** The JSON body of the error responses of data API and ingest. */
  get body(): string {
    return JSON.stringify({ error: this.code, error_description: this.message });
  }
}

export const invalidRequest = (description: string): HttpError => new HttpError(400, 'invalid_request', description);

export const notFound = (description: string): HttpError => new HttpError(404, 'not_found', description);

function serverError(requestId: string): HttpError {
  const sentence = `Something went wrong on our side. The operator finds the cause in the log under request ${requestId}.`;
  return new HttpError(500, 'server_error', sentence, {}, requestId);
}

export const unavailable = (): HttpError =>
  new HttpError(503, 'temporarily_unavailable', 'The service is temporarily unavailable. Please try again shortly.', {
    'retry-after': '5',
  });

/** @param waitMs when the sender may try again, for `Retry-After` */
export function rateLimited(sentence: string, waitMs: number): HttpError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new HttpError(429, 'rate_limit', sentence, { 'retry-after': String(seconds) });
}

/** Converts anything that was thrown while the request was answered. */
export function toHttpError(error: unknown, requestId: string): HttpError {
  if (error instanceof HttpError) return error;
  return error instanceof Unavailable ? unavailable() : serverError(requestId);
}

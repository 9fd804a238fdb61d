import { Unavailable } from '#platform/errors.ts';

/**
 * An error for the client: status, error code and a sentence. Any other error that a handler throws becomes 500, or 503 if
 * it is `Unavailable`.
 */
export class HttpError extends Error {
  readonly status: number;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, code: string, description: string, headers: Record<string, string> = {}) {
    super(description);
    this.name = 'HttpError';
    this.status = status;
    this.code = code;
    this.headers = headers;
  }

  /** The JSON body of the error responses of data API and ingest. */
  get body(): string {
    return JSON.stringify({ error: this.code, error_description: this.message });
  }
}

export const invalidRequest = (description: string): HttpError => new HttpError(400, 'invalid_request', description);

export const notFound = (description: string): HttpError => new HttpError(404, 'not_found', description);

export const serverError = (): HttpError => new HttpError(500, 'server_error', 'Something went wrong on our side.');

export const unavailable = (): HttpError =>
  new HttpError(503, 'temporarily_unavailable', 'The service is temporarily unavailable. Please try again shortly.', {
    'retry-after': '5',
  });

/** Converts anything that was thrown. */
export function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  return error instanceof Unavailable ? unavailable() : serverError();
}

import { Unavailable } from '#platform/errors.ts';

/**
 * An error that knows its wire form: status, code and a sentence for whoever sent the request.
 * Everything else that is thrown is a fault of ours and becomes 500 (or 503, see `Unavailable`).
 */
export class HttpError extends Error {
  readonly status: number;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, code: string, description: string, headers: Record<string, string> = {}) {
    super(description);
    this.name = 'WireError';
    this.status = status;
    this.code = code;
    this.headers = headers;
  }

  /** The body that every error of the data API has. */
  get body(): string {
    return JSON.stringify({ error: this.code, error_description: this.message });
  }
}

export const invalidRequest = (description: string): HttpError => new HttpError(400, 'invalid_request', description);

export const notFound = (description: string): HttpError => new HttpError(404, 'not_found', description);

export const serverError = (): HttpError => new HttpError(500, 'server_error', 'Something went wrong on our side.');

export const unavailable = (): HttpError =>
  new HttpError(503, 'temporarily_unavailable', 'The service cannot answer at the moment; try again shortly.', {
    'retry-after': '5',
  });
/** The wire form of whatever was thrown. */
export function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  return error instanceof Unavailable ? unavailable() : serverError();
}

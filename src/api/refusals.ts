import { HttpError, rateLimited } from '#http/errors.ts';
import type { RateLimitResult } from '#http/rate-limiter.ts';
import { METHODS } from './headers.ts';

/** 403 for an application without access to the data API. */
export function notApproved(): HttpError {
  const sentence = 'This application has no access to the data API yet. Request access in the developer console.';
  return new HttpError(403, 'access_not_approved', sentence);
}

export function methodNotAllowed(): HttpError {
  return new HttpError(405, 'method_not_allowed', `The data API is read-only: use ${METHODS}.`, { allow: METHODS });
}

/** The specification fixes the body word for word. */
export const limitExceeded = ({ resets }: RateLimitResult, now: number): HttpError =>
  rateLimited('Rate limit exceeded', resets - now);

import { HttpError, notFound, rateLimited } from '#http/errors.ts';
import type { RateLimitResult } from '#http/rate-limits.ts';
import { withoutSlash } from '#http/router.ts';
import { similarDataPath } from '#http/service-paths.ts';
import type { Config } from '#platform/config/config.ts';
import { METHODS } from './headers.ts';

/** 403 for an application without access to the data API. */
export function notApproved(): HttpError {
  const sentence = 'This application has no access to the data API yet. Request access in the developer console.';
  return new HttpError(403, 'access_not_approved', sentence);
}

export function methodNotAllowed(): HttpError {
  return new HttpError(405, 'method_not_allowed', `The data API is read-only: use ${METHODS}.`, { allow: METHODS });
}

/** @param known the paths of this service */
export function noSuchPath(path: string, known: readonly string[]): HttpError {
  const near = similarDataPath(path, known);
  const meant = near === undefined ? '' : ` Did you mean "${near}"?`;
  return notFound(`There is no such path.${meant} See /v1/openapi.json for the paths of this API.`);
}

/** Events are no part of this service, so their address is told without a credential. */
export const notIngest = ({ INGEST_URL }: Pick<Config, 'INGEST_URL'>, path: string): HttpError =>
  notFound(`This is the data API; game servers send events to ${INGEST_URL}${withoutSlash(path)}.`);

/** The specification fixes the body word for word. */
export const limitExceeded = ({ resets }: RateLimitResult, now: number): HttpError =>
  rateLimited('Rate limit exceeded', resets - now);

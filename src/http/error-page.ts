import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { html } from 'hono/html';
import { toHttpError, type HttpError } from './errors.ts';
import { disconnected } from './listener.ts';
import { outgoingOf, requestIdOf } from './request-metrics.ts';
import type { Log } from '#platform/process/log.ts';
import type { Html } from './page.ts';

interface ErrorPageTexts {
  status: number;
  title: string;
  sentence: string;
  /** Shown so that the reader can report it to the operator. */
  requestId?: string | undefined;
  /** Leads the reader to another page. */
  link?: { href: string; label: string };
  /** Helps to find the page that the reader wants: a search form. */
  search?: Html | undefined;
}

/** The main part of an error page. */
export function errorPage({ status, title, sentence, requestId, link, search }: ErrorPageTexts): Html {
  return html`<section class="error-page">
    <p class="error-code" aria-hidden="true">${status}</p>
    <h1>${title}</h1>
    <p>${sentence}</p>
    ${requestId !== undefined && status !== 404 ? html`<p class="hint">ID <code>${requestId}</code></p>` : ''} ${search}
    ${link && html`<p><a class="button" href="${link.href}">${link.label}</a></p>`}
  </section>`;
}

/** The id of the request that a page answers. */
export function requestIdIn(c: Context): string {
  return requestIdOf(outgoingOf(c));
}

/** Converts an error, sets its headers on the response, and logs it if the status is 500 or above. */
export function caughtError(c: Context, log: Log, error: unknown): HttpError {
  const httpError = toHttpError(error, requestIdIn(c));
  // Tests call the application without a connection, so `incoming` may be missing.
  const { incoming } = (c.env ?? {}) as Partial<HttpBindings>;
  const isGone = incoming !== undefined && disconnected(incoming, error);
  const isDeliberate = httpError === error && httpError.requestId === undefined;
  if (httpError.status >= 500)
    log[isGone || isDeliberate ? 'debug' : 'error'](
      { err: error, path: c.req.path, request_id: requestIdIn(c) },
      'page failed',
    );
  for (const [name, value] of Object.entries(httpError.headers)) c.header(name, value);
  return httpError;
}

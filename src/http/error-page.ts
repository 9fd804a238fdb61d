import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { html } from 'hono/html';
import { toHttpError, type HttpError } from './errors.ts';
import { disconnected } from './listener.ts';
import type { Log } from '#platform/log.ts';
import type { Html } from './page.ts';

interface ErrorWords {
  status: number;
  title: string;
  sentence: string;
  /** The way on. */
  link?: { href: string; label: string };
}

/** The main part of every page that says what went wrong. */
export function errorPage({ status, title, sentence, link }: ErrorWords): Html {
  return html`<section class="error-page">
    <p class="error-code" aria-hidden="true">${status}</p>
    <h1>${title}</h1>
    <p>${sentence}</p>
    ${link && html`<p><a class="button" href="${link.href}">${link.label}</a></p>`}
  </section>`;
}

/** The wire form of an error, with its headers set on the answer and a fault of ours logged. */
export function caughtError(c: Context, log: Log, error: unknown): HttpError {
  const wire = toHttpError(error);
  // Tests call the application without a connection.
  const { incoming } = (c.env ?? {}) as Partial<HttpBindings>;
  const isGone = incoming !== undefined && disconnected(incoming, error);
  if (wire.status >= 500) log[isGone ? 'debug' : 'error']({ err: error, path: c.req.path }, 'a page failed');
  for (const [name, value] of Object.entries(wire.headers)) c.header(name, value);
  return wire;
}

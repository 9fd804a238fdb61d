import { Hono } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { html } from 'hono/html';
import type { Addresses } from '#access/address.ts';
import type { Assets } from '#base/assets.ts';
import { limitBody } from '#base/body-limit.ts';
import { hungUp } from '#base/http-server.ts';
import { asWireError } from '#base/errors.ts';
import { chooseLanguage } from '#base/languages.ts';
import { accessRows } from './access.ts';
import { ownerRows } from './owners.ts';
import { applicationRows } from './application.ts';
import { applicationsRows, frontPage } from './applications.ts';
import type { Ask, Desk, Env } from './desk.ts';
import { logoRows, MAX_UPLOAD, showLogo } from './logos.ts';
import { operatorRows } from './operator/index.ts';
import { personOf } from './person.ts';
import { type Row, serveRow } from './rows.ts';
import { notFound, signInPages, signOut } from './sign-in.ts';
import { TEXTS } from './texts/index.ts';
import { usageRows } from './usage.ts';

/** The site has the same cookie: whoever chooses a language on one reads the other in it, too. */
const LANGUAGE_COOKIE = 'lang';
const YEAR_S = 31_536_000;

/** Every page and form for those who are signed in. */
export const ROWS: readonly Row[] = [
  ...[signOut, ...applicationsRows, ...applicationRows, ...ownerRows, ...logoRows],
  ...[...accessRows, ...usageRows, ...operatorRows],
];

export function pagesOf(desk: Desk, assets: Assets, addresses: Addresses): Hono<Env> {
  const app = new Hono<Env>({ strict: false });
  app.get('/console/assets/*', async (c) => {
    const asset = await assets.answer(c.req.path, c.req.header('accept-encoding'));
    if (asset !== undefined) return asset;
    setLanguage(c, desk);
    return c.notFound();
  });
  app.use(async (c, next) => {
    c.set('address', addresses.of(c.env.incoming));
    setLanguage(c, desk);
    c.set('person', await personOf(c, desk));
    if (desk.secure) c.header('strict-transport-security', 'max-age=31536000');
    // Nothing of ours has NUL in its id, and PostgreSQL takes none to look for.
    if (c.req.url.includes('%00')) throw notFound();
    await next();
  });
  app.use(limitBody(MAX_UPLOAD));
  app.get('/console', (c) => frontPage(c, desk));
  app.get('/console/logos/:client_id', (c) => showLogo(c, desk));
  signInPages(app, desk);
  for (const row of ROWS) app.on(row.method, `/console${row.path}`, (c) => serveRow(c, desk, row));
  app.notFound((c) => showError(c, desk, notFound()));
  app.onError((error, c) => showError(c, desk, error));
  return app;
}

function setLanguage(c: Ask, { secure }: Desk): void {
  const chosen = c.req.query('lang');
  c.set('texts', TEXTS[chooseLanguage([chosen, getCookie(c, LANGUAGE_COOKIE)], c.req.header('accept-language'))]);
  if (chosen === undefined || !Object.hasOwn(TEXTS, chosen)) return;
  setCookie(c, LANGUAGE_COOKIE, chosen, { path: '/', maxAge: YEAR_S, sameSite: 'Lax', httpOnly: true, secure });
}

async function showError(c: Ask, desk: Desk, error: unknown): Promise<Response> {
  const { errors: t } = c.get('texts') ?? TEXTS.en;
  const wire = asWireError(error);
  const level = hungUp(c.env.incoming, error) ? 'debug' : 'error';
  if (wire.status >= 500) desk.log[level]({ err: error, path: c.req.path }, 'a page of the console failed');
  const known = { other_session: t.other_session, not_operator: t.not_operator }[wire.code];
  const [title, sentence] = known ?? t.status[wire.status as 404] ?? t.status[500];
  const main = html`<div class="card narrow stack">
    <h1>${title}</h1>
    <p>${sentence}</p>
    <p><a class="button" href="/console">${t.home}</a></p>
  </div>`;
  for (const [name, value] of Object.entries(wire.headers)) c.header(name, value);
  return await desk.show(c, { title: title!, main, status: wire.status });
}

import type { Hono } from 'hono';
import { html } from 'hono/html';
import { invalidRequest } from '#http/errors.ts';
import { notice } from '#http/fields.ts';
import { LOCALES } from '#http/languages.ts';
import type { Form } from '#http/form.ts';
import type { Context, Deps, Env } from '../deps.ts';
import { renewCodes } from '../factors/changes.ts';
import { showCard } from '../layout.ts';
import { type SignedIn, signedInForm } from '../session.ts';
import { changePage } from './change-page.ts';
import { PATHS } from './paths.ts';

/** New recovery codes, which are shown once. */
export function codesPages(app: Hono<Env>, deps: Deps): void {
  changePage(app, deps, {
    path: PATHS.newCodes,
    show: (c) => showQuestion(c, deps),
    act: async (c, current) => {
      const codes = await renewCodes(c, deps, current);
      if (codes === undefined) return c.redirect(PATHS.security, 303);
      return await showCodes(c, deps, current, codes, c.get('texts').security.codes_made);
    },
  });
  const download = signedInForm(deps, (c, { account }, form) => sendFile(c, deps, account.name, form));
  app.post(PATHS.downloadCodes, download);
}

async function showQuestion(c: Context, deps: Deps): Promise<Response> {
  const { security: t } = c.get('texts');
  const content = html`<p>${t.new_codes_lead}</p>
    <form method="post" action="${PATHS.newCodes}"><button>${t.new_codes}</button></form>
    <p><a href="${PATHS.security}">${t.back}</a></p>`;
  return await showCard(c, deps, t.new_codes_title, content);
}

/** The only page with the codes: the response to a form, so that no URL leads to them. */
export async function showCodes(
  c: Context,
  deps: Deps,
  { account }: SignedIn,
  codes: readonly string[],
  done: string,
): Promise<Response> {
  const { security: t } = c.get('texts');
  const content = html`${notice(done, 'good')}
    <p>${t.codes_once}</p>
    <ol class="recovery-codes">
      ${codes.map((code) => html`<li><code>${code}</code></li> `)}
    </ol>
    <p class="hint">${describeCodes(c, deps, account.name)}</p>
    <form method="post" action="${PATHS.downloadCodes}">
      <input type="hidden" name="codes" value="${codes.join(' ')}" />
      <button class="quiet">${t.codes_download}</button>
    </form>
    <p><a class="button" href="${PATHS.security}">${t.codes_done}</a></p>`;
  return await showCard(c, deps, t.codes_title, content);
}

function describeCodes(c: Context, { config, clock }: Deps, name: string): string {
  const { security: t, lang } = c.get('texts');
  const format = new Intl.DateTimeFormat(LOCALES[lang], { dateStyle: 'medium', timeZone: config.TIME_ZONE });
  return t.codes_file(config.NETWORK_NAME, name, format.format(clock.now()));
}

const CODES = /^[A-Z2-7-]{8,40}( [A-Z2-7-]{8,40}){9}$/;

/** Sends the codes of the page back as a file: they are stored only as hashes. */
function sendFile(c: Context, deps: Deps, name: string, { codes = '' }: Form): Response {
  if (!CODES.test(codes)) throw invalidRequest('The form does not have ten recovery codes.');
  const lines = [describeCodes(c, deps, name), '', ...codes.split(' '), ''];
  return c.body(lines.join('\r\n'), 200, {
    'content-type': 'text/plain; charset=utf-8',
    'content-disposition': 'attachment; filename="recovery-codes.txt"',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
}

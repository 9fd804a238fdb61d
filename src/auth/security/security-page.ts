import type { Hono } from 'hono';
import { html } from 'hono/html';
import { notice } from '#http/fields.ts';
import { type FormatTime, timeFormatter } from '#http/languages.ts';
import { type Html, rowItem, section } from '#http/page.ts';
import type { Config } from '#platform/config/config.ts';
import { type Factors, factorsOf, firstFactorAllowedFrom } from '#store/accounts/factors.ts';
import type { Passkey } from '#store/accounts/passkeys.ts';
import { RECOVERY_CODES } from '#store/accounts/recovery-codes.ts';
import { type Context, type Deps, type Env } from '../deps.ts';
import { acceptsPasskeys } from '../factors/ceremonies.ts';
import { showPage } from '../layout.ts';
import { ifSignedIn, type SignedIn } from '../session.ts';
import type { Texts } from '../texts/index.ts';
import { PATHS, passkeyPath } from './paths.ts';

/** From this number of recovery codes on the page advises to make new ones. */
const FEW_CODES = 3;

/** The page about passkeys, authenticator app and recovery codes of an account. */
export function securityPage(app: Hono<Env>, deps: Deps): void {
  const show = ifSignedIn(deps, (c, current) => showSecurity(c, deps, current));
  app.get(PATHS.security, show);
}

async function showSecurity(c: Context, deps: Deps, { account, uid_hash }: SignedIn): Promise<Response> {
  const texts = c.get('texts');
  const { security: t } = texts;
  const { config, db, clock } = deps;
  const factors = await factorsOf(db.shortReads, account.id);
  const hasNone = factors.passkeys.length === 0 && factors.totp === undefined;
  const allowedFrom = hasNone ? await firstFactorAllowedFrom(db.shortReads, account.id, uid_hash) : 0;
  const mayAdd = allowedFrom <= clock.now();
  const formatTime = timeFormatter(texts.lang, config.TIME_ZONE);
  const main = html`<div class="sections">
    <h1>${t.title}</h1>
    ${notice(doneText(c.req.query('done'), t), 'good')} ${mayAdd ? '' : notice(t.wait(formatTime(allowedFrom)))}
    <p>${t.lead}</p>
    ${passkeysCard(t, factors, addPasskeyPart(t, config, mayAdd), formatTime)}
    ${appCard(t, factors, mayAdd, formatTime)} ${codesCard(t, factors, hasNone)}
    <p><a href="/account">${texts.problem.to_account}</a></p>
  </div>`;
  return await showPage(c, deps, { title: t.title, main, note: texts.account.zone(config.TIME_ZONE) });
}

type SecurityTexts = Texts['security'];

const DONE = ['saved', 'passkey_added', 'passkey_removed', 'app_added', 'app_removed'] as const;

function doneText(done: string | undefined, t: SecurityTexts): string | undefined {
  return DONE.find((one) => one === done) && t[done as (typeof DONE)[number]];
}

/** A link with a text for screen readers, which read it without the row. */
const named = (
  href: string,
  { label, named: name }: { label: string; named: (what: string) => string },
  what: string,
): Html => html`<a href="${href}" aria-label="${name(what)}">${label}</a>`;

function addPasskeyPart(t: SecurityTexts, config: Config, mayAdd: boolean): Html | '' {
  if (!acceptsPasskeys(config)) return html`<p class="hint">${t.no_passkeys_here}</p>`;
  return mayAdd
    ? html`<p class="after-rows"><a class="button" href="${PATHS.addPasskey}">${t.add_passkey}</a></p>`
    : '';
}

function passkeysCard(t: SecurityTexts, { passkeys }: Factors, addPart: Html | '', formatTime: FormatTime): Html {
  const content = html`${passkeys.length === 0 ? html`<p class="soft">${t.no_passkeys}</p>` : ''}
    <ul class="rows">
      ${passkeys.map((passkey) => {
        const synchronised = passkey.backed_up ? html`<span class="badge">${t.synchronised}</span>` : '';
        return rowItem(
          html`<strong><bdi>${passkey.name}</bdi> ${synchronised}</strong>`,
          use(t, passkey, formatTime),
          named(passkeyPath('rename', passkey.id), t.rename, passkey.name),
          named(passkeyPath('remove', passkey.id), t.remove, passkey.name),
        );
      })}
    </ul>
    ${addPart}`;
  return section('passkeys', t.passkeys, content);
}

/** When a factor was added, and last used. */
function use(
  t: SecurityTexts,
  { created, last_used }: Pick<Passkey, 'created' | 'last_used'>,
  formatTime: FormatTime,
): string {
  return `${t.created(formatTime(created))} · ${last_used === null ? t.unused : t.used(formatTime(last_used))}`;
}

function appCard(t: SecurityTexts, { totp }: Factors, mayAdd: boolean, formatTime: FormatTime): Html {
  const content = html`${
    totp === undefined
      ? html`<p class="soft">${t.no_app}</p>`
      : html`<ul class="rows">
          ${rowItem(use(t, totp, formatTime), '', named(PATHS.removeApp, t.remove, t.app))}
        </ul>`
  }
  ${mayAdd ? html`<p class="after-rows"><a class="button" href="${PATHS.setUpApp}">${totp === undefined ? t.set_up_app : t.replace_app}</a></p>` : ''}`;
  return section('app', t.app, content);
}

function codesCard(t: SecurityTexts, { recovery_codes: left }: Factors, hasNone: boolean): Html {
  const content = html`<p class="soft">${t.codes_lead}</p>
    ${
      hasNone
        ? html`<p>${t.no_codes}</p>`
        : html`${left < FEW_CODES ? notice(t.codes_few(left), 'bad') : html`<p>${t.codes_left(left, RECOVERY_CODES)}</p>`}
            <p class="after-rows"><a class="button quiet" href="${PATHS.newCodes}">${t.new_codes}</a></p>`
    }`;
  return section('codes', t.codes, content);
}

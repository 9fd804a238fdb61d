import { ReadableStream } from 'node:stream/web';
import type { Hono } from 'hono';
import { html } from 'hono/html';
import { type HttpError, rateLimited } from '#http/errors.ts';
import { COLON, type FormatTime, timeFormatter } from '#http/languages.ts';
import { LIMITS } from '#http/limits.ts';
import { notice } from '#http/fields.ts';
import type { Form } from '#http/form.ts';
import { jsonPieces } from '#platform/streams/json-stream.ts';
import { type Html, rowItem, section } from '#http/page.ts';
import { type AccountSession, endApplications, endSessions, sessionsOf } from '#store/accounts/account-sessions.ts';
import { type Account, isProvisionalName } from '#store/accounts/accounts.ts';
import { playerByUuid } from '#store/game/players.ts';
import { type Factors, factorsOf } from '#store/accounts/factors.ts';
import { type ConnectedApplication, connectedApplications } from '#store/accounts/consents.ts';
import { punishmentsInForce } from '#store/game/punishments.ts';
import { browserName } from '../user-agent.ts';
import type { Context, Deps, Env } from '../deps.ts';
import { showPage } from '../layout.ts';
import { mailStateNotice } from '../mail-state.ts';
import { accountExport } from './export.ts';
import { ifSignedIn, type SignedIn, signedInForm, signOut } from '../session.ts';
import type { Texts } from '#auth/texts/index.ts';
import { changePrivacy, privacyCard } from './privacy.ts';
import { readsCard } from './reads.ts';
import { resetNotice } from './factor-resets.ts';
import { punishmentsCard } from './punishments.ts';
import { sendVerification } from './verify-email.ts';
import { admitAttempt } from '../attempts.ts';
import { record } from '../audit.ts';

/** The account page: profile, sessions, connected applications and the export of all data. */
export function accountPages(app: Hono<Env>, deps: Deps): void {
  app.get('/', (c) => c.redirect('/account', 303));
  const page = ifSignedIn(deps, (c, current) => showAccount(c, deps, current));
  const exported = ifSignedIn(deps, async (c, { account }) => {
    if (!(await admitAttempt(c, deps, 'export', account.id))) throw tooMany();
    const pieces = jsonPieces(await accountExport(deps, account));
    return c.body(ReadableStream.from(encodeUtf8(pieces)) as globalThis.ReadableStream<Uint8Array>, 200, {
      'content-type': 'application/json; charset=utf-8',
      'content-disposition': 'attachment; filename="account.json"',
      'cache-control': 'no-store',
    });
  });
  app.get('/account', page).get('/account/export', exported);
  const onForm = (path: string, act: FormAction): void => {
    const submit = signedInForm(deps, async (c, current, form) => c.redirect(await act(c, current, form), 303));
    app.post(path, submit);
  };
  /** For an action that writes an audit entry. @throws HttpError 429 if the account has done it too often */
  const onLimitedForm = (path: string, act: FormAction): void =>
    onForm(path, async (c, current, form) => {
      if (!(await admitAttempt(c, deps, 'end', current.account.id))) throw tooMany();
      return await act(c, current, form);
    });
  onForm('/account/sign-out', async (c, { account }) => {
    await signOut(c, deps, (tx) => record(tx, c, deps, account, { action: 'session.end' }));
    return '/sign-in';
  });
  onForm('/account/verify', async (c, { account }) => {
    const mayRequest = !account.email_verified && (await admitAttempt(c, deps, 'recover', account.email));
    if (mayRequest) deps.background.run(() => sendVerification(deps, account));
    return '/account?done=verify_sent';
  });
  onLimitedForm('/account/sessions/end', async (c, { account, uid_hash }, { session = '' }) => {
    const others = session === '';
    const which = others ? { except: uid_hash } : { only: session, except: uid_hash };
    await deps.db.transaction(async (tx) => {
      await endSessions(tx, account.id, which);
      await record(tx, c, deps, account, { action: 'session.end', detail: { others } });
    });
    return '/account?done=session_ended';
  });
  onLimitedForm('/account/applications/end', async (c, { account }, { client_id = '' }) => {
    if (client_id === '') return '/account';
    await deps.db.transaction(async (tx) => {
      await endApplications(tx, account.id, client_id);
      await record(tx, c, deps, account, { action: 'grant.end', subject: client_id });
    });
    return '/account?done=ended';
  });
  onLimitedForm('/account/privacy', async (c, current, form) =>
    (await changePrivacy(c, deps, current, form)) ? '/account?done=privacy' : '/account',
  );
}

const tooMany = (): HttpError => rateLimited('Too many requests within an hour. Try again later.', LIMITS.end.windowMs);

async function* encodeUtf8(pieces: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const piece of pieces) yield encoder.encode(piece);
}

/** @returns the path to redirect to */
type FormAction = (c: Context, current: SignedIn, form: Form) => Promise<string>;

async function showAccount(c: Context, deps: Deps, current: SignedIn): Promise<Response> {
  const texts = c.get('texts');
  const { account: t } = texts;
  const { account } = current;
  const now = deps.clock.now();
  const done = c.req.query('done') ?? '';
  const sessions = await sessionsOf(deps.db.shortReads, account.id, now);
  const applications = await connectedApplications(deps.db.shortReads, account.id);
  const factors = await factorsOf(deps.db.shortReads, account.id);
  // Beside a member of staff of that name the account's own has a suffix.
  const player = account.player_uuid === null ? undefined : await playerByUuid(deps.db.shortReads, account.player_uuid);
  const playerName = player?.name ?? account.name;
  const punishments = player === undefined ? [] : await punishmentsInForce(deps.db.shortReads, player.key, now);
  const formatTime = timeFormatter(texts.lang, deps.config.TIME_ZONE);
  const data = html`<ul class="rows">
    ${rowItem(html`<a href="/account/export">${t.export}</a>`, t.export_hint)}
    ${rowItem(html`<a href="/account/delete">${t.delete}</a>`)}
  </ul>`;
  const main = html`<div class="sections">
    <div class="row spread">
      <h1>${account.name}</h1>
      <form method="post" action="/account/sign-out"><button class="quiet">${t.sign_out}</button></form>
    </div>
    ${notice(doneText(done, texts, account), 'good')} ${/_sent$/.test(done) ? await mailStateNotice(c, deps) : ''}
    ${await resetNotice(c, deps, account)}
    ${profileCard(texts, account, { site: deps.config.SITE_URL, playerName, factors })}
    ${punishmentsCard(deps.config, texts, punishments, formatTime)}
    ${await privacyCard(deps, texts, account.player_uuid)} ${sessionsCard(t, sessions, current.uid_hash, formatTime)}
    ${applicationsCard(t, applications, formatTime)} ${await readsCard(deps, texts, account, formatTime)}
    ${section('data', t.data, data)}
  </div>`;
  return await showPage(c, deps, { title: t.title, main, note: t.zone(deps.config.TIME_ZONE) });
}

function doneText(
  done: string,
  { account: t, link, keep_factors, security, former_name }: Texts,
  account: Account,
): string | undefined {
  if (done === 'factors_kept') return keep_factors.done;
  if (done === 'verify_sent') return t.verify_sent(account.email);
  if (done === 'email_sent') return t.email_lead;
  if (done === 'linked') return account.player_uuid === null ? undefined : link.done(account.name);
  if (done === 'saved') return security.saved;
  if (done === 'name_removed') return former_name.done;
  if (done === 'privacy') return t.privacy.saved;
  return done === 'ended' || done === 'session_ended' ? t[done] : undefined;
}

const row = (label: string, value: Html, action: Html): Html =>
  rowItem(html`<strong>${label}</strong> ${value}`, '', action);

function profileCard(
  { account: t, sign_in: { password }, security, former_name, change, lang }: Texts,
  account: Account,
  { site, playerName, factors }: { site: string; playerName: string; factors: Factors },
): Html {
  const profileUrl = `${site}/players/${account.player_uuid}`;
  const verified = account.email_verified
    ? html`<span class="badge good">${t.verified}</span>`
    : html`<span class="badge bad">${t.unverified}</span>`;
  const go = (path: string, label: string): Html =>
    html`<a href="/account/${path}">${change}<span class="hidden">${COLON[lang]}${label}</span></a>`;
  const content = html`<ul class="rows">
    ${
      account.player_uuid === null
        ? row(t.name, html`${account.name} ${provisionalHint(account, t)}`, go('name', t.name))
        : row(t.name, html`${account.name} <span class="hint">${t.name_linked}</span>`, html``)
    }
    ${row(t.email, html`${account.email} ${verified}`, go('email', t.email))}
    ${
      account.email_verified
        ? ''
        : html`<li>
            <form method="post" action="/account/verify"><button class="quiet">${t.send_verify}</button></form>
          </li>`
    }
    ${
      account.player_uuid === null
        ? row(
            t.game,
            html`<span class="soft">${t.no_game}</span>`,
            html`<a class="button" href="/account/link">${t.link}</a>`,
          )
        : row(
            t.game,
            html`<a href="${profileUrl}">${playerName}</a> <code class="hint">${account.player_uuid}</code>`,
            html`<a href="/account/unlink">${t.unlink}</a>`,
          )
    }
    ${account.player_uuid === null ? '' : row(former_name.names, html``, html`<a href="/account/former-name">${former_name.remove}</a>`)}
    ${row(password, html`<span class="soft">${t.password_lead}</span>`, go('password', password))}
    ${row(security.title, html`<span class="soft">${factorsText(security, factors)}</span>`, go('security', security.title))}
  </ul>`;
  return section('profile', t.profile, content);
}

function factorsText(t: Texts['security'], { passkeys, totp, recovery_codes }: Factors): string {
  if (passkeys.length === 0 && totp === undefined) return t.none;
  return t.summary(passkeys.length, totp !== undefined, recovery_codes);
}

function provisionalHint({ name }: Account, t: Texts['account']): Html {
  return isProvisionalName(name) ? html`<span class="hint">${t.name_provisional}</span>` : html``;
}

function sessionsCard(t: Texts['account'], sessions: AccountSession[], own: string, formatTime: FormatTime): Html {
  const rows = sessions.map(({ agent, uid_hash, created, seen, address }) => {
    const browser = browserName(agent) ?? t.unknown_browser;
    const times = t.session(formatTime(created), formatTime(seen), address);
    return uid_hash === own
      ? rowItem(html`<strong>${browser} <span class="badge">${t.this_session}</span></strong>`, times)
      : rowItem(
          html`<strong>${browser}</strong>`,
          times,
          endForm('/account/sessions/end', 'session', uid_hash, t.end_session, browser),
        );
  });
  const content = html`<ul class="rows">
      ${rows}
    </ul>
    ${
      sessions.length > 1
        ? html`<form method="post" action="/account/sessions/end">
            <button class="quiet danger">${t.end_others}</button>
          </form>`
        : ''
    }`;
  return section('sessions', t.sessions, content);
}

function applicationsCard(t: Texts['account'], applications: ConnectedApplication[], formatTime: FormatTime): Html {
  const content = html`${applications.length === 0 ? html`<p class="soft">${t.no_applications}</p>` : ''}
    <ul class="rows">
      ${applications.map(({ client_id, name, scopes, granted, used, read }) =>
        rowItem(
          html`<strong>${name}</strong> ${scopes.map((scope) => t.scopes[scope] ?? scope).join(' · ')}
            <span class="hint">${t.application(formatTime(granted), formatTime(used))}</span>`,
          read === null ? '' : t.last_read(formatTime(read)),
          endForm('/account/applications/end', 'client_id', client_id, t.end_access, name),
        ),
      )}
    </ul>`;
  return section('applications', t.applications, content);
}

function endForm(
  action: string,
  field: string,
  value: string,
  { label, named }: Texts['account']['end_session'],
  what: string,
): Html {
  return html`<form method="post" action="${action}">
    <input type="hidden" name="${field}" value="${value}" />
    <button class="quiet danger" aria-label="${named(what)}">${label}</button>
  </form>`;
}

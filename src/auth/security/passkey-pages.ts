import type { Hono } from 'hono';
import { html } from 'hono/html';
import { field, notice } from '#http/fields.ts';
import type { Form } from '#http/form.ts';
import { PASSKEY_SCRIPT, passkeyForm } from '#http/passkey-form.ts';
import { MAX_PASSKEY_NAME, MAX_PASSKEYS, type Passkey, passkeysOf, renamePasskey } from '#store/accounts/passkeys.ts';
import { browserName } from '../user-agent.ts';
import type { Context, Deps, Env } from '../deps.ts';
import { addPasskey, removePasskey } from '../factors/changes.ts';
import { acceptsPasskeys, creationOptions, isAdded } from '../factors/ceremonies.ts';
import { showCard } from '../layout.ts';
import { ifSignedIn, type SignedIn, signedInForm } from '../session.ts';
import type { Texts } from '../texts/index.ts';
import { changePage, showRemoval } from './change-page.ts';
import { showCodes } from './codes-pages.ts';
import { PATHS } from './paths.ts';

/** Adds, renames and removes the passkeys of an account. */
export function passkeyPages(app: Hono<Env>, deps: Deps): void {
  changePage(app, deps, {
    path: PATHS.addPasskey,
    adds: true,
    show: async (c, current) =>
      acceptsPasskeys(deps.config) ? await showAdd(c, deps, current) : c.redirect(PATHS.security, 303),
    act: (c, current, form) => add(c, deps, current, form),
  });
  changePage(app, deps, {
    path: PATHS.removePasskey,
    show: async (c, { account }) => {
      const passkey = await wantedPasskey(deps, account.id, c.req.query('id'));
      if (passkey === undefined) return c.redirect(PATHS.security, 303);
      const { security: t } = c.get('texts');
      return await showRemoval(c, deps, account.id, {
        title: t.remove_passkey_title(passkey.name),
        lead: t.remove_passkey_lead,
        action: PATHS.removePasskey,
        fields: idField(passkey),
      });
    },
    act: async (c, current, { id = '' }) => {
      const isRemoved = await removePasskey(c, deps, current, id);
      return c.redirect(isRemoved ? `${PATHS.security}?done=passkey_removed` : PATHS.security, 303);
    },
  });
  renamePages(app, deps);
}

async function wantedPasskey({ db }: Deps, accountId: string, id: string | undefined): Promise<Passkey | undefined> {
  return (await passkeysOf(db.shortReads, accountId)).find((passkey) => passkey.id === id);
}

const idField = ({ id }: Passkey) => html`<input type="hidden" name="id" value="${id}" />`;

async function add(c: Context, deps: Deps, current: SignedIn, form: Form): Promise<Response> {
  const { security: t } = c.get('texts');
  const name = passkeyName(form);
  if (name === undefined)
    return await showAdd(c, deps, current, { name: t.passkey_name_length(MAX_PASSKEY_NAME) }, form);
  const { credential = '' } = form;
  const codes = await addPasskey(c, deps, current, name, credential);
  if (codes !== undefined && codes.length > 0) return await showCodes(c, deps, current, codes, t.passkey_added);
  // The page with the codes is the response to this form, and loading it again sends the form again.
  if (codes !== undefined || (await isAdded(deps, current.account.id, credential)))
    return c.redirect(`${PATHS.security}?done=passkey_added`, 303);
  return await showAdd(c, deps, current, { passkey: t.passkey_refused }, form);
}

/** @returns undefined for a name that is empty or too long */
function passkeyName({ name = '' }: Form): string | undefined {
  const trimmed = name.trim();
  return trimmed === '' || trimmed.length > MAX_PASSKEY_NAME ? undefined : trimmed;
}

type Problems = Partial<Record<'name' | 'passkey', string>>;

async function showAdd(
  c: Context,
  deps: Deps,
  current: SignedIn,
  problems: Problems = {},
  form: Form = {},
): Promise<Response> {
  const { security: t } = c.get('texts');
  const passkeys = await passkeysOf(deps.db.shortReads, current.account.id);
  const isFull = passkeys.length >= MAX_PASSKEYS;
  const agent = browserName(c.req.header('user-agent') ?? '') ?? t.new_passkey_name;
  const name = nameField(t, form['name'] ?? agent, problems.name);
  const content = html`${notice(isFull ? t.too_many_passkeys(MAX_PASSKEYS) : problems.passkey, 'bad')}
    <p>${t.add_passkey_lead}</p>
    ${
      isFull
        ? ''
        : passkeyForm({
            ceremony: 'create',
            action: PATHS.addPasskey,
            options: await creationOptions(deps, current, passkeys),
            texts: t.passkey_texts,
            button: t.create_passkey,
            fields: name,
          })
    }
    <p><a href="${PATHS.security}">${t.back}</a></p>`;
  const status = isFull || Object.keys(problems).length > 0 ? 422 : 200;
  return await showCard(c, deps, t.add_passkey, content, { status, scripts: [PASSKEY_SCRIPT] });
}

type SecurityTexts = Texts['security'];

const nameField = (t: SecurityTexts, value: string, error: string | undefined) =>
  field({
    ...{ name: 'name', label: t.passkey_name, hint: t.passkey_name_hint, value, error, maxlength: MAX_PASSKEY_NAME },
    autofocus: true,
  });

/** A name gives no access, so that renaming asks for no confirmation. */
function renamePages(app: Hono<Env>, deps: Deps): void {
  const show = ifSignedIn(deps, async (c, { account }) => {
    const passkey = await wantedPasskey(deps, account.id, c.req.query('id'));
    return passkey === undefined ? c.redirect(PATHS.security, 303) : await showRename(c, deps, passkey, passkey.name);
  });
  const submit = signedInForm(deps, async (c, { account }, form) => {
    const passkey = await wantedPasskey(deps, account.id, form['id']);
    if (passkey === undefined) return c.redirect(PATHS.security, 303);
    const name = passkeyName(form);
    const { security: t } = c.get('texts');
    if (name === undefined)
      return await showRename(c, deps, passkey, form['name'] ?? '', t.passkey_name_length(MAX_PASSKEY_NAME));
    await renamePasskey(deps.db, account.id, passkey.id, name);
    return c.redirect(`${PATHS.security}?done=saved`, 303);
  });
  app.get(PATHS.renamePasskey, show).post(PATHS.renamePasskey, submit);
}

async function showRename(c: Context, deps: Deps, passkey: Passkey, value: string, error?: string): Promise<Response> {
  const { security: t, save } = c.get('texts');
  const content = html`<form class="stack" method="post" action="${PATHS.renamePasskey}">
      ${idField(passkey)} ${nameField(t, value, error)}
      <button>${save}</button>
    </form>
    <p><a href="${PATHS.security}">${t.back}</a></p>`;
  return await showCard(c, deps, t.rename_title, content, { status: error === undefined ? 200 : 422 });
}

import type { Hono } from 'hono';
import type { Form } from '#http/form.ts';
import { firstFactorAllowedFrom, hasFactor, factorsOf } from '#store/accounts/factors.ts';
import { type Context, type Deps, type Env, readOwnForm } from '../deps.ts';
import { isProved } from '../factors/proof.ts';
import { type SignedIn, signedIn } from '../session.ts';
import { confirmPath, PATHS } from './paths.ts';
import { html } from 'hono/html';
import { notice } from '#http/fields.ts';
import type { Html } from '#http/page.ts';
import { showCard } from '../layout.ts';

/** A page with a form that changes the factors of an account. */
interface ChangePage {
  path: string;
  /** Whether it adds a factor. */
  adds?: boolean;
  show: (c: Context, current: SignedIn) => Promise<Response>;
  act: (c: Context, current: SignedIn, form: Form) => Promise<Response>;
}

/** Registers a page for people who have proved within five minutes that it is them. Others are asked first. */
export function changePage(app: Hono<Env>, deps: Deps, { path, adds = false, show, act }: ChangePage): void {
  const admit = async (c: Context): Promise<SignedIn | string> => {
    const current = await signedIn(c, deps);
    if (current === undefined) return '/sign-in';
    if (adds && !(await mayAdd(deps, current))) return PATHS.security;
    if (await isProved(deps, deps.db, current)) return current;
    const { pathname, search } = new URL(c.req.url);
    return confirmPath(pathname + search);
  };
  app.get(path, async (c) => {
    const current = await admit(c);
    return typeof current === 'string' ? c.redirect(current, 303) : await show(c, current);
  });
  app.post(path, async (c) => {
    const form = await readOwnForm(c, deps);
    const current = await admit(c);
    return typeof current === 'string' ? c.redirect(current, 303) : await act(c, current, form);
  });
}

/** Whether the session may add a factor; the page about passkeys says from when on, if it may not. */
async function mayAdd({ db, clock }: Deps, { account, uid_hash }: SignedIn): Promise<boolean> {
  if (await hasFactor(db.shortReads, account.id)) return true;
  return (await firstFactorAllowedFrom(db.shortReads, account.id, uid_hash)) <= clock.now();
}

interface Removal {
  title: string;
  lead: string;
  action: string;
  fields?: Html;
}

/** The question before a factor is removed, which says what follows if it is the last one. */
export async function showRemoval(
  c: Context,
  deps: Deps,
  accountId: string,
  { title, lead, action, fields }: Removal,
): Promise<Response> {
  const { security: t } = c.get('texts');
  const { passkeys, totp } = await factorsOf(deps.db.shortReads, accountId);
  const isLast = passkeys.length + (totp === undefined ? 0 : 1) === 1;
  const content = html`<p>${lead}</p>
    ${notice(isLast ? t.remove_last : undefined)}
    <form method="post" action="${action}">${fields ?? ''}<button class="danger">${t.remove.label}</button></form>
    <p><a href="${PATHS.security}">${t.back}</a></p>`;
  return await showCard(c, deps, title, content);
}

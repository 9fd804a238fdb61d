import type { Hono } from 'hono';
import { html } from 'hono/html';
import type { Transaction } from '#db/db.ts';
import { isEmail } from '#platform/mail/email.ts';
import type { Form } from '#http/form.ts';
import { type Field, fields, notice } from '#http/fields.ts';
import { hashPassword, MIN_PASSWORD } from '#platform/crypto/passwords.ts';
import { endSessions } from '#store/accounts/account-sessions.ts';
import { setName, setPassword, unlinkPlayer } from '#store/accounts/account-changes.ts';
import { deleteAccount } from '#store/accounts/account-deletions.ts';
import { removeFormerName } from '#store/accounts/removed-names.ts';
import { lockWithPassword } from '#store/accounts/email-changes.ts';
import { type Account, emailKey, nameProblem } from '#store/accounts/accounts.ts';
import { hasFactor } from '#store/accounts/factors.ts';
import { forgetDevices } from '#store/accounts/known-devices.ts';

import { ownedAlone } from '#store/applications/suspension.ts';
import type { Context, Deps, Env } from '../deps.ts';
import { showCard } from '../layout.ts';
import { sendAlert, sendMail } from '#mails/account-mails.ts';
import { isProved } from '../factors/proof.ts';
import { confirmPath } from '../security/paths.ts';
import { passwordError } from '../validation.ts';
import { ifSignedIn, type SignedIn, signedInForm, signOut } from '../session.ts';
import type { Texts } from '#auth/texts/index.ts';
import { admitAttempt, checkPassword, forgetPasswords } from '../attempts.ts';
import { listFormerNames } from './former-names.ts';
import { sendChange } from './verify-email.ts';
import { rememberThisDevice } from '../device.ts';
import { record } from '../audit.ts';

type Problems = Readonly<Record<string, string>>;

/** The submitted form of a change. */
interface Submitted {
  c: Context;
  deps: Deps;
  current: SignedIn;
  form: Form;
  /** Makes the change and writes its audit entry, both or neither; no entry if it returns false. */
  make: (run: (tx: Transaction) => Promise<boolean>) => Promise<boolean>;
}

/** A change of an account: the texts and fields of its page, and the action of its form. */
interface Change {
  path: string;
  title: (texts: Texts) => string;
  lead?: (texts: Texts, account: Account) => string[];
  /** Further sentences that depend on the database. */
  warnings?: (texts: Texts, account: Account, deps: Deps) => Promise<string[]>;
  /** What the person enters. */
  field?: (texts: Texts) => Field;
  submit: (texts: Texts) => string;
  danger?: boolean;
  /** Whether an account with a second factor proves it before, in the place of the password. */
  needsProof?: boolean;
  /** If it returns false, the page redirects to the account page. */
  applies?: (account: Account) => boolean;
  /** @returns the problems by field, or the path to redirect to */
  act: (submitted: Submitted) => Promise<Problems | string>;
}

const CHANGES: Change[] = [
  {
    path: '/account/name',
    title: ({ account }) => account.name_title,
    field: ({ account, errors }) => ({
      name: 'name',
      label: account.name,
      hint: errors.name_shape,
      autocomplete: 'username',
      maxlength: 16,
    }),
    submit: ({ save }) => save,
    applies: ({ player_uuid }) => player_uuid === null,
    act: changeName,
  },
  {
    path: '/account/email',
    title: ({ account }) => account.email_title,
    lead: ({ account }) => [account.email_lead],
    field: ({ account }) => ({ name: 'email', label: account.new_email, type: 'email', autocomplete: 'email' }),
    submit: ({ continue: go }) => go,
    needsProof: true,
    act: changeEmail,
  },
  {
    path: '/account/password',
    title: ({ account }) => account.password_title,
    lead: ({ account }) => [account.password_lead],
    field: ({ account, password_hint }) => ({
      name: 'password',
      label: account.new_password,
      type: 'password',
      hint: password_hint(MIN_PASSWORD),
      autocomplete: 'new-password',
    }),
    submit: ({ save }) => save,
    needsProof: true,
    act: changePassword,
  },
  {
    path: '/account/former-name',
    title: ({ former_name }) => former_name.title,
    lead: ({ former_name }) => [former_name.lead],
    warnings: listFormerNames,
    field: ({ former_name }) => ({ name: 'name', label: former_name.name, maxlength: 64 }),
    submit: ({ former_name }) => former_name.submit,
    danger: true,
    applies: ({ player_uuid }) => player_uuid !== null,
    act: removeOwnName,
  },
  {
    path: '/account/unlink',
    title: ({ link }) => link.unlink_title,
    lead: ({ link }, { name }) => [link.unlink_lead(name)],
    submit: ({ link }) => link.unlink,
    danger: true,
    applies: ({ player_uuid }) => player_uuid !== null,
    act: unlink,
  },
  {
    path: '/account/delete',
    title: ({ account }) => account.delete_title,
    lead: ({ account }, { player_uuid }) =>
      player_uuid === null ? [account.delete_lead] : [account.delete_lead, account.delete_matches],
    warnings: applicationsToSuspend,
    submit: ({ account }) => account.delete_submit,
    danger: true,
    needsProof: true,
    act: deleteOwnAccount,
  },
];

/**
 * Pages that change an account; each asks for the password, or some for a proof with the second factor, so that a browser left
 * signed in is not enough.
 */
export function accountForms(app: Hono<Env>, deps: Deps): void {
  for (const change of CHANGES) {
    const show = ifSignedIn(deps, async (c, current) => {
      const proof = await proofState(deps, change, current);
      if (proof === 'missing') return c.redirect(confirmPath(change.path), 303);
      return await showChange(c, deps, change, { account: current.account, proof });
    });
    const submit = signedInForm(deps, (c, current, form) => makeChange({ c, deps, current, form }, change));
    app.get(change.path, show).post(change.path, submit);
  }
}

async function makeChange({ c, deps, current, form }: Omit<Submitted, 'make'>, change: Change): Promise<Response> {
  const { account } = current;
  if (change.applies?.(account) === false) return c.redirect('/account', 303);
  const proof = await proofState(deps, change, current);
  if (proof === 'missing') return c.redirect(confirmPath(change.path), 303);
  const wrongPassword =
    proof === 'given' ? undefined : await currentPasswordProblem(c, deps, account, form['current'] ?? '');
  const action = change.path.slice(1).replace('/', '.');
  const make: Submitted['make'] = (run) =>
    deps.db.transaction(async (tx) => {
      const isMade = await run(tx);
      if (isMade) await record(tx, c, deps, account, { action });
      return isMade;
    });
  const result = wrongPassword ?? (await change.act({ c, deps, current, form, make }));
  if (typeof result === 'string') return c.redirect(result, 303);
  return await showChange(c, deps, change, { account, proof, form, problems: result });
}

/** `none`: the password takes the place of a proof. */
type ProofState = 'none' | 'missing' | 'given';

async function proofState(deps: Deps, { needsProof }: Change, current: SignedIn): Promise<ProofState> {
  if (needsProof !== true || !(await hasFactor(deps.db.shortReads, current.account.id))) return 'none';
  return (await isProved(deps, deps.db, current)) ? 'given' : 'missing';
}

async function currentPasswordProblem(
  c: Context,
  deps: Deps,
  account: Account,
  password: string,
): Promise<Problems | undefined> {
  const { errors } = c.get('texts');
  const result = await checkPassword(c, deps, account.id, password);
  if (result !== 'right') return { current: errors[result === 'blocked' ? 'too_many_attempts' : 'password_wrong'] };
  await forgetPasswords(c, deps, account.id);
  return undefined;
}

async function changeName({ c, deps, current: { account }, form, make }: Submitted): Promise<Problems | string> {
  const { errors } = c.get('texts');
  const name = (form['name'] ?? '').trim();
  const problem = await nameProblem(deps.db, name);
  if (problem === 'shape') return { name: errors.name_shape };
  const isChanged = problem === undefined && (await make((tx) => setName(tx, account.id, name)));
  return isChanged ? '/account?done=saved' : { name: errors.name_taken(name) };
}

async function changeEmail({ c, deps, current: { account }, form, make }: Submitted): Promise<Problems | string> {
  const { errors } = c.get('texts');
  const email = (form['email'] ?? '').trim();
  if (!isEmail(email)) return { email: errors.email_shape };
  if (emailKey(email) === emailKey(account.email)) return { email: errors.email_same };
  if (!(await admitAttempt(c, deps, 'email', email))) return { email: errors.too_many_attempts };
  // The request, for which this transaction changes nothing: it must not reveal whether another account has the address.
  await make(async () => true);
  deps.background.run(() => sendChange(deps, account, email));
  return '/account?done=email_sent';
}

async function changePassword({ c, deps, current, form, make }: Submitted): Promise<Problems | string> {
  const { account, uid_hash } = current;
  const password = form['password'] ?? '';
  const problem = await passwordError(c, deps, password, account.name, account.email);
  if (problem !== undefined) return { password: problem };
  const hashed = await deps.passwordQueue.run('recognised', c.get('client'), () => hashPassword(password));
  const isChanged = await make(async (tx) => {
    // Without one a change of the address has been undone since the person gave the password.
    if (!(await lockWithPassword(tx, account.id))) return false;
    await setPassword(tx, account.id, hashed);
    await forgetDevices(tx, account.id);
    await endSessions(tx, account.id, { except: uid_hash });
    await rememberThisDevice(c, deps, tx, account.id);
    return true;
  });
  if (!isChanged) return '/sign-in';
  sendAlert(deps, account, (texts) => [texts.password_changed_subject, texts.password_changed]);
  return '/account?done=saved';
}

async function removeOwnName({ c, deps, current: { account }, form, make }: Submitted): Promise<Problems | string> {
  const name = (form['name'] ?? '').trim();
  const isRemoved = await make(
    async (tx) => 'job' in (await removeFormerName(tx, deps.clock.now(), account.player_uuid!, name)),
  );
  return isRemoved ? '/account?done=name_removed' : { name: c.get('texts').former_name.wrong };
}

async function unlink({ deps, current: { account }, make }: Submitted): Promise<string> {
  await make((tx) => unlinkPlayer(tx, account.id));
  sendAlert(deps, account, (texts) => [texts.unlinked_subject, texts.unlinked]);
  return '/account?done=saved';
}

async function deleteOwnAccount({ c, deps, current: { account }, make }: Submitted): Promise<Problems | string> {
  const isDeleted = await make(
    async (tx) => (await deleteAccount(tx, deps.clock.now(), account.id)) !== 'last operator',
  );
  if (!isDeleted) return { current: c.get('texts').errors.last_operator };
  await signOut(c, deps);
  sendMail(deps, account, (texts) => [texts.deleted_subject, texts.deleted]);
  return '/sign-in?done=deleted';
}

async function applicationsToSuspend({ account: t }: Texts, { id }: Account, { db }: Deps): Promise<string[]> {
  const names = await ownedAlone(db, id);
  return names.length === 0 ? [] : [t.delete_applications(names.join(', '))];
}

interface ChangeState {
  account: Account;
  proof: ProofState;
  form?: Form;
  problems?: Problems;
}

async function showChange(
  c: Context,
  deps: Deps,
  change: Change,
  { account, proof, form = {}, problems = {} }: ChangeState,
): Promise<Response> {
  const texts = c.get('texts');
  if (change.applies?.(account) === false) return c.redirect('/account', 303);
  const title = change.title(texts);
  const current: Field = {
    name: 'current',
    label: texts.current_password,
    type: 'password',
    hint: texts.current_password_hint,
    autocomplete: 'current-password',
  };
  const entered = [
    ...(change.field === undefined ? [] : [change.field(texts)]),
    ...(proof === 'given' ? [] : [current]),
  ];
  const lines = [...(change.lead?.(texts, account) ?? []), ...((await change.warnings?.(texts, account, deps)) ?? [])];
  const content = html`${lines.map((line) => html`<p>${line}</p>`)}
    <form class="stack" method="post" action="${change.path}">
      <input type="hidden" name="login" value="${account.name}" autocomplete="username" />
      ${fields(entered.map((one) => ({ ...one, value: form[one.name], error: problems[one.name] })))}
      ${proof === 'given' ? notice(problems['current'], 'bad') : ''}
      <button class="${change.danger ? 'danger' : ''}">${change.submit(texts)}</button>
    </form>
    <p><a href="/account">${texts.back}</a></p>`;
  return await showCard(c, deps, title, content, { status: Object.keys(problems).length === 0 ? 200 : 422 });
}

import { html } from 'hono/html';
import { type Ownership, removeOwner } from '#admin/owners.ts';
import { HttpError } from '#http/errors.ts';
import { type Html, rowItem, section } from '#http/page.ts';
import { accountByName } from '#store/accounts/accounts.ts';
import { managedApplication } from '#store/applications/applications.ts';
import { countIn } from '#http/rate-limits.ts';
import {
  acceptInvitation,
  countOwnedBy,
  endInvitation,
  type Invitation,
  invitationsTo,
  invite,
  listInvitations,
  MAX_OWNED,
  type Owner,
  ownersOf,
} from '#store/applications/owners.ts';
import type { PageContent } from '../layout.ts';
import { invitationMail } from '#mails/application-mails.ts';
import { button, fieldsOf, formTo, type Problems, textOf, timestamp } from '../components.ts';
import { operationForm } from '../operation-form.ts';
import { type ConsoleRequest, form, ownedForm, type OwnedRequest, type Route } from '../routes.ts';
import { confirmInApplication } from './layout.ts';

export async function ownersCard(request: OwnedRequest, problems: Problems): Promise<Html> {
  const { application, texts, deps, form: submitted, person, now } = request;
  const { application: t } = texts;
  const root = `/applications/${application.client_id}/owners`;
  const owners = await ownersOf(deps.db, application.key);
  const invited = await invitationsTo(deps.db, now, application.key);
  const ownerField = fieldsOf(t, submitted, problems)('owner', { maxlength: 32 });
  const removeButton = (path: string, label: string, account_id: string, about: string): Html =>
    button(request, `${root}/${path}`, label, { kind: 'quiet danger', fields: { account_id }, about });
  const content = html`<p class="hint">${t.owners_hint}</p>
    <ul class="rows">
      ${owners.map(({ account_id, name, added }) =>
        rowItem(
          html`<strong><bdi>${name}</bdi></strong>
            ${account_id === person.account.id ? html`<span class="badge">${t.you}</span>` : ''}`,
          html`${t.owner_since} ${timestamp(request, added)}`,
          owners.length === 1 ? '' : removeButton('remove', t.remove_owner, account_id, name),
        ),
      )}
      ${invited.map(({ account_id, account_name, expires }) =>
        rowItem(
          html`<strong><bdi>${account_name}</bdi></strong> <span class="badge warn">${t.invited}</span>`,
          html`${t.invited_until} ${timestamp(request, expires)}`,
          removeButton('uninvite', t.uninvite, account_id, account_name),
        ),
      )}
    </ul>
    ${formTo(request, root, html`${ownerField}<button class="quiet">${t.add_owner}</button>`, 'row bottom')}`;
  return section('owners', t.owners, content);
}

/**
 * Invites an account to become an owner of the application, by mail.
 * @returns why the account cannot be invited; undefined once the invitation is sent
 */
export async function inviteOwner(request: OwnedRequest): Promise<string | undefined> {
  const { deps, application, texts, now, person } = request;
  const { client_id, key, name } = application;
  const { problems: t } = texts.application;
  const typed = textOf(request.form['owner'], 32) ?? '';
  const account = await accountByName(deps.db, typed);
  if (account === undefined || account.disabled !== null) return t.owner(typed);
  const { allowed, limit } = await countIn(deps.db, deps, 'ownerInvitation', { account: person.account.id });
  if (!allowed) return t.too_many_invitations(limit);
  const invitation = { applicationKey: key, accountId: account.id, invitedBy: person.account.id };
  const invited = await deps.db.transaction(async (tx) => {
    if (!(await invite(tx, now, invitation))) return false;
    const about = { subject: client_id, label: name, detail: { owner: account.id } };
    await request.record(tx, { action: 'application.owner.invite', ...about });
    return true;
  });
  if (!invited) return t.owner_already(account.name);
  // The page does not show whether a mail was sent: the invitation is open in any case.
  const mailed = { applicationAccount: `${client_id} ${account.id}` };
  if ((await countIn(deps.db, deps, 'invitationMail', mailed)).allowed)
    deps.mail.send(invitationMail(deps.config, account, { application: name, by: person.account.name }));
  return undefined;
}

async function uninvite(request: OwnedRequest): Promise<string> {
  const { deps, application, form: submitted } = request;
  const { client_id, key, name } = application;
  const owner = submitted['account_id'] ?? '';
  const ended = await deps.db.transaction(async (tx) => {
    if (!(await endInvitation(tx, key, owner))) return false;
    const about = { subject: client_id, label: name, detail: { owner } };
    await request.record(tx, { action: 'application.owner.uninvite', ...about });
    return true;
  });
  return `/applications/${client_id}/settings?done=${ended ? 'saved' : 'gone'}`;
}

/** Asks first, because only another owner can bring a removed owner back. */
async function confirmRemoval(
  request: OwnedRequest,
  { application }: Ownership,
  { owner }: { owner: Owner },
): Promise<PageContent> {
  const { application: t } = request.texts;
  const isSelf = owner.account_id === request.person.account.id;
  return await confirmInApplication(request, {
    tab: '/settings',
    title: isSelf ? t.leave_title(application.name) : t.remove_owner_title(owner.name),
    impact: [isSelf ? t.leave_impact : t.remove_owner_impact],
    undo: t.remove_owner_undo,
    submit: t.remove_owner,
  });
}

/** The person's open invitations, shown above the list of applications. */
export async function invitationsCard(request: ConsoleRequest): Promise<Html> {
  const { deps, person, texts, now } = request;
  const { invitations: t } = texts;
  const invitations = await listInvitations(deps.db, now, person.account.id);
  if (invitations.length === 0) return html``;
  const content = html`<p class="hint">${t.hint}</p>
    <ul class="rows">
      ${invitations.map((invitation) => invitationRow(request, invitation))}
    </ul>`;
  return section('invitations', t.title, content);
}

function invitationRow(
  request: ConsoleRequest,
  { client_id, application_name, invited_by, expires }: Invitation,
): Html {
  const { invitations: t, application } = request.texts;
  const answer = (value: string, label: string, kind: string): Html =>
    button(request, `/invitations/${client_id}`, label, { kind, fields: { answer: value }, about: application_name });
  return rowItem(
    html`<strong><bdi>${application_name}</bdi></strong>`,
    html`${invited_by === null ? '' : `${t.by(invited_by)} · `}${application.invited_until}
    ${timestamp(request, expires)}`,
    answer('accept', t.accept, ''),
    answer('decline', t.decline, 'quiet'),
  );
}

/** @throws HttpError 404 if there is no such application */
async function answerInvitation(request: ConsoleRequest): Promise<string> {
  const { c, deps, person, form: submitted, now } = request;
  const application = await managedApplication(deps.db, c.req.param('client_id')!);
  if (application === undefined) throw new HttpError(404, 'not_found', 'There is no such invitation.');
  const { key, client_id, name } = application;
  const about = { subject: client_id, label: name, detail: { owner: person.account.id } };
  if (submitted['answer'] !== 'accept' && submitted['answer'] !== 'decline') return '?done=undecided';
  const accepts = submitted['answer'] === 'accept';
  if (accepts && (await countOwnedBy(deps.db, person.account.id)) >= MAX_OWNED) return '?done=owns_enough';
  const answered = await deps.db.transaction(async (tx) => {
    const isOpen = accepts
      ? await acceptInvitation(tx, now, key, person.account.id)
      : await endInvitation(tx, key, person.account.id);
    if (isOpen)
      await request.record(tx, { action: accepts ? 'application.owner.add' : 'application.owner.decline', ...about });
    return isOpen;
  });
  if (!answered) return '?done=gone';
  return accepts ? `/applications/${client_id}?done=saved` : '?done=saved';
}

const AT = '/applications/:client_id/owners';
export const ownerRoutes: readonly Route[] = [
  operationForm(`${AT}/remove`, removeOwner, {
    find: async ({ application, form: { account_id: id = '' } }) => ({ application, account: { id, name: id } }),
    at: ({ application }) => `/applications/${application.client_id}/settings`,
    confirm: confirmRemoval,
    refused: { not_owner: 'gone', only_owner: 'gone' },
    done: ({ person }, { account, application }) =>
      account.id === person.account.id ? '?done=saved' : `/applications/${application.client_id}/settings?done=saved`,
  }),
  ownedForm(`${AT}/uninvite`, 'never', uninvite),
  form('/invitations/:client_id', answerInvitation),
];

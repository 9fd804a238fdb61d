import { UsageError } from '#platform/errors.ts';
import {
  type AccessRequest,
  decideRequest,
  listRequests,
  REQUEST_STATES,
} from '#store/applications/access-requests.ts';
import { type ApplicationChange, decideChange, waitingChanges } from '#store/applications/application-changes.ts';
import type { AppContext } from '#context/context.ts';
import { mailOwners } from '#console/applications/changes.ts';
import { decisionMail } from '#console/mails.ts';
import { accountById } from '#store/accounts/accounts.ts';
import {
  type Command,
  type Input,
  JSON_OPTION,
  optional,
  print,
  printTable,
  required,
  withAppContext,
} from '../command/command.ts';
import { oneOf, timestampOf, wholeNumber } from '../command/values.ts';

const MAX_LISTED = 200;
const REQUEST: NonNullable<Command['options']> = {
  request: { type: 'string', value: 'ID', required: true, help: 'The id of the request, as "access list" shows it' },
  json: JSON_OPTION,
};
const NOTE = { type: 'string', value: 'TEXT', help: 'Your message to the applicant, sent by mail' } as const;

export const commands: Command[] = [
  {
    words: 'access list',
    summary:
      'List what waits for you: access to the data API, a higher limit, a new name, logo or redirect URIs of an approved application',
    options: {
      state: { type: 'string', help: 'Which requests to list: waiting (the default), approved or refused' },
      json: JSON_OPTION,
    },
    run: listAll,
  },
  {
    words: 'access approve',
    summary: 'Grant a request; the applicant gets a mail',
    options: {
      ...REQUEST,
      note: NOTE,
      limit: {
        type: 'string',
        value: 'N',
        help: 'The limit to grant, in requests per hour (default: the requested limit)',
      },
    },
    audit: { action: 'access.approve', about: 'client-id' },
    run: (input) => decide(input, 'approved'),
  },
  {
    words: 'access refuse',
    summary: 'Refuse a request; the applicant gets a mail with the reason (--note)',
    options: { ...REQUEST, note: { ...NOTE, required: true } },
    audit: { action: 'access.refuse', about: 'client-id' },
    run: (input) => decide(input, 'refused'),
  },
];

async function listAll(input: Input): Promise<void> {
  const state = oneOf(input, 'state', REQUEST_STATES) ?? 'waiting';
  await withAppContext(input, async ({ db, config }) => {
    const requests = (await listRequests(db, state, MAX_LISTED)).map(wire);
    const changes =
      state === 'waiting' ? (await waitingChanges(db, MAX_LISTED)).map((change) => wireChange(change, config)) : [];
    printTable(input, [...requests, ...changes]);
  });
}

async function decide(input: Input, state: 'approved' | 'refused'): Promise<void> {
  const id = required(input, 'request');
  const note = state === 'refused' ? required(input, 'note') : (optional(input, 'note') ?? '');
  const limit = wholeNumber(input, 'limit', 1, 999_999_999);
  await withAppContext(input, async ({ config, db, clock, mail }) => {
    const request = await decideRequest(db, clock.now(), id, { state, note, by: 'command', limit });
    if (request === undefined) return await decideAboutChange(input, { config, db, mail }, { id, state, note });
    const applicant = request.account_id === null ? undefined : await accountById(db, request.account_id);
    if (applicant !== undefined) mail.send(decisionMail(config, applicant, request));
    await mail.settled();
    print(input, wire(request));
  });
}

async function decideAboutChange(
  input: Input,
  context: Pick<AppContext, 'config' | 'db' | 'mail'>,
  { id, state, note }: { id: string; state: 'approved' | 'refused'; note: string },
): Promise<void> {
  const change = await decideChange(context.db, id, state);
  if (change === undefined) throw new UsageError(`No request with the id ${id} is waiting; see: scorehall access list`);
  await mailOwners(context, change, { state, note });
  await context.mail.settled();
  print(input, { ...wireChange(change, context.config), state, note });
}

/** A change in the columns of a request: what is to be in force is its purpose, and a new logo is shown in the console. */
function wireChange(change: ApplicationChange, { SITE_URL }: AppContext['config']): Record<string, unknown> {
  const { id, client_id, old, name, redirect_uris, logo, account_name } = change;
  const picture = logo === null ? '' : `; new logo: ${SITE_URL}/console/operator/changes/${id}`;
  const purpose = `name: ${name}; redirect URIs: ${redirect_uris.join(' ')}${picture}`;
  const created = timestampOf(change.created);
  const rest = { site: '', volume: null, state: 'waiting', note: '', created, decided: null };
  return { id, client_id, name: old.name, kind: 'change', account: account_name, purpose, ...rest };
}

function wire(request: AccessRequest): Record<string, unknown> {
  const { id, client_id, application_name: name, kind, account_name, purpose, site, volume, state, note } = request;
  const [created, decided] = [timestampOf(request.created), timestampOf(request.decided)];
  return { id, client_id, name, kind, account: account_name, purpose, site, volume, state, note, created, decided };
}

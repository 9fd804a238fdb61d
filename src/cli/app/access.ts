import { UsageError } from '#platform/errors.ts';
import { approveChange, approveRequest, refuseChange, refuseRequest } from '#admin/access.ts';
import { type Acting, type Outcome, perform } from '#admin/operation.ts';
import { type AccessRequest, listRequests, REQUEST_STATES } from '#store/applications/access-requests.ts';
import { type ApplicationChange, waitingChanges } from '#store/applications/application-changes.ts';
import type { AppContext } from '#context/context.ts';
import { mailApplicant, mailOwners } from '#console/applications/changes.ts';
import {
  type Command,
  commandActor,
  type Input,
  JSON_OPTION,
  mandatory,
  option,
  timestampOf,
  withAppContext,
} from '../command/command.ts';
import { readFields } from '../command/operation-command.ts';

const MAX_LISTED = 200;
const REQUEST: NonNullable<Command['options']> = {
  request: mandatory('ID', 'The id of the request, as "access list" shows it'),
  json: JSON_OPTION,
};
const NOTE = { type: 'string', value: 'TEXT', help: 'Your message to the applicant, sent by mail' } as const;

export const commands: Command[] = [
  {
    words: 'access list',
    summary:
      'List what waits for you: access to the data API, a higher limit, a new name, logo or redirect URIs of an approved application',
    options: {
      state: option('VALUE', 'Which requests to list: waiting (the default), approved or refused'),
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
      limit: option('N', 'The limit to grant, in requests per hour (default: the requested limit)'),
    },
    operations: [approveRequest, approveChange],
    run: approve,
  },
  {
    words: 'access refuse',
    summary: 'Refuse a request; the applicant gets a mail with the reason (--note)',
    options: { ...REQUEST, note: { ...NOTE, required: true } },
    operations: [refuseRequest, refuseChange],
    run: refuse,
  },
];

async function listAll(input: Input): Promise<void> {
  const state = input.oneOf('state', REQUEST_STATES) ?? 'waiting';
  await withAppContext(input, async ({ db, config }) => {
    const requests = (await listRequests(db, state, MAX_LISTED)).map(wire);
    const changes =
      state === 'waiting' ? (await waitingChanges(db, MAX_LISTED)).map((change) => wireChange(change, config)) : [];
    input.print([...requests, ...changes]);
  });
}

interface Decision {
  note: string;
  state: 'approved' | 'refused';
  aboutRequest: (acting: Acting) => Promise<Outcome<AccessRequest, 'not_waiting', never>>;
  aboutChange: (acting: Acting) => Promise<Outcome<ApplicationChange, 'not_waiting', never>>;
}

async function approve(input: Input): Promise<void> {
  const [row, fields] = [{ id: input.required('request') }, await readFields(input, approveRequest.fields)];
  const { note } = fields;
  await decide(input, {
    ...{ note, state: 'approved' },
    aboutRequest: (acting) => perform(approveRequest, acting, row, fields),
    aboutChange: (acting) => perform(approveChange, acting, row, { note }),
  });
}

async function refuse(input: Input): Promise<void> {
  const [row, fields] = [{ id: input.required('request') }, await readFields(input, refuseRequest.fields)];
  await decide(input, {
    ...{ note: fields.note, state: 'refused' },
    aboutRequest: (acting) => perform(refuseRequest, acting, row, fields),
    aboutChange: (acting) => perform(refuseChange, acting, row, fields),
  });
}

/** Decides about a request or, if none with this id waits, about a change. */
async function decide(input: Input, { note, state, aboutRequest, aboutChange }: Decision): Promise<void> {
  await withAppContext(input, async (context) => {
    const acting = { ...context, actor: commandActor() };
    const request = await aboutRequest(acting);
    if ('done' in request) {
      await mailApplicant(context, request.done);
      await context.mail.settled();
      return input.print(wire(request.done));
    }
    const change = await aboutChange(acting);
    if (!('done' in change))
      throw new UsageError(
        `No request with the id ${input.required('request')} is waiting; see: scorehall access list`,
      );
    await mailOwners(context, change.done, { state, note });
    await context.mail.settled();
    input.print({ ...wireChange(change.done, context.config), state, note });
  });
}

/** A change in the columns of a request: its purpose is the new name and redirect URIs; the console shows a new logo. */
function wireChange(change: ApplicationChange, { SITE_URL }: AppContext['config']): Record<string, unknown> {
  const { id, client_id, old, name, redirect_uris, post_logout_redirect_uris, logo, account_name } = change;
  const picture = logo === null ? '' : `; new logo: ${SITE_URL}/console/operator/changes/${id}`;
  const after =
    post_logout_redirect_uris.length === 0 ? '' : `; after sign-out: ${post_logout_redirect_uris.join(' ')}`;
  const purpose = `name: ${name}; redirect URIs: ${redirect_uris.join(' ')}${after}${picture}`;
  const created = timestampOf(change.created);
  const rest = { site: '', volume: null, state: 'waiting', note: '', created, decided: null };
  return { id, client_id, name: old.name, kind: 'change', account: account_name, purpose, ...rest };
}

function wire(request: AccessRequest): Record<string, unknown> {
  const { id, client_id, application_name: name, kind, account_name, purpose, site, volume, state, note } = request;
  const [created, decided] = [timestampOf(request.created), timestampOf(request.decided)];
  return { id, client_id, name, kind, account: account_name, purpose, site, volume, state, note, created, decided };
}

import { approveChange, approveRequest, byRequestId, refuseChange, refuseRequest } from '#admin/access.ts';
import type { AnyOperation } from '#admin/operation.ts';
import {
  type AccessRequest,
  listRequests,
  REQUEST_STATES,
  type RequestState,
} from '#store/applications/access-requests.ts';
import { type ApplicationChange, changeById, waitingChanges } from '#store/applications/application-changes.ts';
import type { AppContext } from '#context/context.ts';
import { mailApplicant, mailOwners } from '#mails/application-mails.ts';
import {
  type Command,
  type Input,
  oneOf,
  option,
  optionsOf,
  reading,
  timestampOf,
  withAppContext,
} from '../command/command.ts';
import { performOrThrow, fieldOptions, readFields } from '../command/operation-command.ts';

const MAX_LISTED = 200;

export const commands: Command[] = [
  reading(
    'access list',
    'List what waits for you: access to the data API, a higher limit, a new name, logo or redirect URIs of an approved application',
    listAll,
    {
      state: option(
        'VALUE',
        'Which requests to list: waiting (the default), approved or refused',
        oneOf(REQUEST_STATES),
      ),
    },
  ),
  decision('access approve', 'approved', approveRequest, approveChange),
  decision('access refuse', 'refused', refuseRequest, refuseChange),
];

async function listAll({ db, config }: AppContext, input: Input) {
  const state = (input.optional('state') as RequestState | undefined) ?? 'waiting';
  const requests = (await listRequests(db, state, MAX_LISTED)).map(wire);
  const changes = state === 'waiting' ? await waitingChanges(db, MAX_LISTED) : [];
  return [...requests, ...changes.map((change) => wireChange(change, config))];
}

/** Decides about a request or, if the id is that of a change, about the change. */
function decision(
  words: string,
  state: 'approved' | 'refused',
  aboutRequest: AnyOperation,
  aboutChange: AnyOperation,
): Command {
  const decide = async (context: AppContext, input: Input, fields: { note: string }) => {
    const row = await input.find(byRequestId, context.db);
    const isChange = (await changeById(context.db, row.id)) !== undefined;
    const { note } = fields;
    const operation = isChange ? aboutChange : aboutRequest;
    const done: ApplicationChange & AccessRequest = await performOrThrow(
      operation,
      context,
      row,
      isChange ? { note } : fields,
    );
    if (isChange) await mailOwners(context, done, { state, note });
    else await mailApplicant(context, done);
    await context.mail.settled();
    return isChange ? { ...wireChange(done, context.config), state, note } : wire(done);
  };
  return {
    ...{ words, summary: aboutRequest.summary, operations: [aboutRequest, aboutChange] },
    options: { ...optionsOf(byRequestId), ...fieldOptions(aboutRequest) },
    run: async (input) => {
      const fields = (await readFields(input, aboutRequest)) as { note: string };
      await withAppContext(input, async (context) => input.print(await decide(context, input, fields)));
    },
  };
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

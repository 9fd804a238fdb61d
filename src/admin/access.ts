import { z } from 'zod';
import { isShownText } from '#text/text.ts';
import {
  type AccessRequest,
  decideRequest,
  decideWithoutRequest,
  type Decision,
} from '#store/applications/access-requests.ts';
import { type ApplicationChange, decideChange } from '#store/applications/application-changes.ts';
import { type Application, setLimit } from '#store/applications/applications.ts';
import { readable, wholeNumber, withoutFields } from './fields.ts';
import { ofOperators, operation, refuse, type Target, type Working } from './operation.ts';
import { applicationTarget } from './targets.ts';

const MAX_LIMIT = 999_999_999;
export const MAX_NOTE = 1000;

const onApplication = { ...ofOperators, ...withoutFields, ...applicationTarget };

/** The name that is stored with a decision. */
const decider = ({ actor }: Working): string => (actor.via === 'command' ? 'command' : actor.name);

const decideAccess =
  (state: 'approved' | 'revoked') =>
  async (working: Working, { client_id }: Application) =>
    await decideWithoutRequest(working.tx, working.clock.now(), client_id, { state, by: decider(working) });

export const approveAccess = operation({
  ...onApplication,
  name: 'access.approve',
  summary: 'Give an application access to the data API',
  reauthenticate: 'always',
  run: decideAccess('approved'),
});

export const revokeAccess = operation({
  ...onApplication,
  name: 'access.revoke',
  summary: 'Take away the access of an application to the data API',
  loss: 'restorable',
  run: decideAccess('revoked'),
});

const readLimit = (text: string): number | null | undefined => {
  if (text === 'default') return null;
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
};

/** Null restores the usual limits. */
export const limitAccess = operation({
  ...onApplication,
  name: 'access.limit',
  summary: 'Set the hourly rate limit of an application, or reset it to the default',
  fields: z.strictObject({ limit: readable(readLimit, `a whole number from 1 to ${MAX_LIMIT}, or "default"`) }),
  options: { limit: { value: 'N', help: 'Requests per hour, or "default"' } },
  reauthenticate: ({ limit }) => limit !== null,
  run: async ({ tx }, { client_id }: Application, { limit }) => void (await setLimit(tx, client_id, limit)),
  detail: (fields) => fields,
});

/** A request or change that waits for an operator. */
interface Waiting {
  id: string;
}

/** It may be decided meanwhile, which the operation refuses. */
export const byRequestId: Target<Waiting> = {
  option: 'request',
  value: 'ID',
  help: 'The id of the request, as "access list" shows it',
  find: async (_, id) => ({ id }),
};

const note = z
  .string()
  .transform((text) => text.replace(/\r\n?/g, '\n').trim())
  .refine(
    (text) => text.length <= MAX_NOTE && isShownText(text.replace(/[\n\t]/g, ' ')),
    `must have at most ${MAX_NOTE} characters, all of them visible`,
  );
const reason = note.refine((text) => text !== '', 'must not be empty');

async function decide(working: Working, id: string, decision: Omit<Decision, 'by'>) {
  const by = decider(working);
  return (await decideRequest(working.tx, working.clock.now(), id, { ...decision, by })) ?? refuse('not_waiting');
}

const NOTE = { value: 'TEXT', help: 'Your message to the applicant, sent by mail' };
const refused = {
  not_waiting: ({ id }: Waiting): string => `No request with the id ${id} is waiting; see: scorehall access list`,
};

const onRequest = {
  ...ofOperators,
  target: byRequestId,
  subject: (_: Waiting, { client_id, application_name }: AccessRequest) => ({
    ...{ subject: client_id, label: application_name },
  }),
  refused,
};

/** Grants a request of an owner. The limit is for a request of a higher one (default: the requested volume). */
export const approveRequest = operation({
  ...onRequest,
  name: 'access.approve',
  summary: 'Grant a request; the applicant gets a mail',
  fields: z.strictObject({ note: note.default(''), limit: wholeNumber(1, MAX_LIMIT).optional() }),
  options: {
    note: NOTE,
    limit: { value: 'N', help: 'The limit to grant, in requests per hour (default: the requested limit)' },
  },
  reauthenticate: 'always',
  run: async (working, { id }: Waiting, fields) => await decide(working, id, { state: 'approved', ...fields }),
  detail: (fields, { kind }) => ({ kind, ...fields }),
});

export const refuseRequest = operation({
  ...onRequest,
  name: 'access.refuse',
  summary: 'Refuse a request; the applicant gets a mail with the reason (--note)',
  fields: z.strictObject({ note: reason }),
  options: { note: NOTE },
  run: async (working, { id }: Waiting, fields) => await decide(working, id, { state: 'refused', ...fields }),
  detail: (fields, { kind }) => ({ kind, ...fields }),
});

const onChange = {
  ...ofOperators,
  target: byRequestId,
  subject: (_: Waiting, { client_id, old }: ApplicationChange) => ({ subject: client_id, label: old.name }),
  options: { note: NOTE },
  refused,
  detail: (fields: { note: string }, { name, redirect_uris, logo }: ApplicationChange) => ({
    ...{ name, redirect_uris: redirect_uris.join(' '), ...(logo !== null && { logo }), ...fields },
  }),
};

export const approveChange = operation({
  ...onChange,
  name: 'application.change.approve',
  summary: 'Put a change of an owner in force',
  fields: z.strictObject({ note: note.default('') }),
  reauthenticate: 'always',
  run: async ({ tx }, { id }: Waiting) => (await decideChange(tx, id, 'approved')) ?? refuse('not_waiting'),
});

export const refuseChange = operation({
  ...onChange,
  name: 'application.change.refuse',
  summary: 'Refuse a change of an owner; the present values stay in force',
  fields: z.strictObject({ note: reason }),
  run: async ({ tx }, { id }: Waiting) => (await decideChange(tx, id, 'refused')) ?? refuse('not_waiting'),
});

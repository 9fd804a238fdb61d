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
import { operation, refuse, type Working } from './operation.ts';

const MAX_LIMIT = 999_999_999;
export const MAX_NOTE = 1000;

const subject = ({ client_id, name }: Application) => ({ subject: client_id, label: name });

/** The name that is stored with a decision. */
const decider = ({ actor }: Working): string => (actor.via === 'command' ? 'command' : actor.name);

const decideAccess =
  (state: 'approved' | 'revoked') =>
  async (working: Working, { client_id }: Application) =>
    await decideWithoutRequest(working.tx, working.clock.now(), client_id, { state, by: decider(working) });

/** Gives an application access to the data API. */
export const approveAccess = operation({
  name: 'access.approve',
  subject,
  ...withoutFields,
  who: 'operator',
  loss: 'none',
  reauthenticate: 'always',
  changes: [],
  impact: undefined,
  run: decideAccess('approved'),
});

export const revokeAccess = operation({
  name: 'access.revoke',
  subject,
  ...withoutFields,
  who: 'operator',
  loss: 'restorable',
  reauthenticate: 'never',
  changes: [],
  impact: undefined,
  run: decideAccess('revoked'),
});

const readLimit = (text: string): number | null | undefined => {
  if (text === 'default') return null;
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
};

/** Sets the hourly limit of an application; null restores the usual ones. */
export const limitAccess = operation({
  name: 'access.limit',
  subject,
  fields: z.strictObject({ limit: readable(readLimit, `a whole number from 1 to ${MAX_LIMIT}, or "default"`) }),
  who: 'operator',
  loss: 'none',
  reauthenticate: ({ limit }) => limit !== null,
  changes: [],
  impact: undefined,
  run: async ({ tx }, { client_id }: Application, { limit }) => void (await setLimit(tx, client_id, limit)),
  detail: (fields) => fields,
});

/** A request or change that waits for an operator. */
interface Waiting {
  id: string;
}

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

const requestSubject = (_: Waiting, { client_id, application_name }: AccessRequest) => ({
  ...{ subject: client_id, label: application_name },
});

/** Grants a request of an owner. The limit is for a request of a higher one (default: the requested volume). */
export const approveRequest = operation({
  name: 'access.approve',
  subject: requestSubject,
  fields: z.strictObject({ note: note.default(''), limit: wholeNumber(1, MAX_LIMIT).optional() }),
  who: 'operator',
  loss: 'none',
  reauthenticate: 'always',
  changes: [],
  impact: undefined,
  run: async (working, { id }: Waiting, fields) => await decide(working, id, { state: 'approved', ...fields }),
  detail: (fields, { kind }) => ({ kind, ...fields }),
});

export const refuseRequest = operation({
  name: 'access.refuse',
  subject: requestSubject,
  fields: z.strictObject({ note: reason }),
  who: 'operator',
  loss: 'none',
  reauthenticate: 'never',
  changes: [],
  impact: undefined,
  run: async (working, { id }: Waiting, fields) => await decide(working, id, { state: 'refused', ...fields }),
  detail: (fields, { kind }) => ({ kind, ...fields }),
});

const changeSubject = (_: Waiting, { client_id, old }: ApplicationChange) => ({
  ...{ subject: client_id, label: old.name },
});

const changeDetail = (fields: { note: string }, { name, redirect_uris, logo }: ApplicationChange) => ({
  ...{ name, redirect_uris: redirect_uris.join(' '), ...(logo !== null && { logo }), ...fields },
});

/** Puts a change of an owner in force. */
export const approveChange = operation({
  name: 'application.change.approve',
  subject: changeSubject,
  fields: z.strictObject({ note: note.default('') }),
  who: 'operator',
  loss: 'none',
  reauthenticate: 'always',
  changes: [],
  impact: undefined,
  run: async ({ tx }, { id }: Waiting) => (await decideChange(tx, id, 'approved')) ?? refuse('not_waiting'),
  detail: changeDetail,
});

export const refuseChange = operation({
  name: 'application.change.refuse',
  subject: changeSubject,
  fields: z.strictObject({ note: reason }),
  who: 'operator',
  loss: 'none',
  reauthenticate: 'never',
  changes: [],
  impact: undefined,
  run: async ({ tx }, { id }: Waiting) => (await decideChange(tx, id, 'refused')) ?? refuse('not_waiting'),
  detail: changeDetail,
});

import { UsageError } from '#platform/errors.ts';
import {
  type AccessRequest,
  decideRequest,
  listRequests,
  REQUEST_STATES,
  type RequestState,
} from '#store/applications/access-requests.ts';
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
} from './command.ts';

const MAX_LISTED = 200;
const ONE: Command['options'] = {
  request: { type: 'string', value: 'ID', help: 'The id of the request, as "access list" shows it' },
  note: { type: 'string', value: 'TEXT', help: 'What the applicant reads in the mail' },
  json: JSON_OPTION,
};

export const commands: Command[] = [
  {
    words: 'access list',
    summary: 'What applications have asked for: access to the data API, or a higher limit',
    options: {
      state: { type: 'string', help: 'waiting (the default), approved or refused' },
      json: JSON_OPTION,
    },
    run: listAll,
  },
  {
    words: 'access approve',
    summary: 'Grant a request; the applicant is told by mail',
    options: {
      ...ONE,
      limit: {
        type: 'string',
        value: 'N',
        help: 'The limit to grant, requests an hour; what was asked for when left out',
      },
    },
    audit: { action: 'access.approve', about: 'client-id' },
    run: (input) => decide(input, 'approved'),
  },
  {
    words: 'access refuse',
    summary: 'Refuse a request with the reason; the applicant is told by mail',
    options: ONE,
    audit: { action: 'access.refuse', about: 'client-id' },
    run: (input) => decide(input, 'refused'),
  },
];

async function listAll(input: Input): Promise<void> {
  const state = optional(input, 'state') ?? 'waiting';
  if (!REQUEST_STATES.includes(state as RequestState)) {
    throw new UsageError(`--state must be one of ${REQUEST_STATES.join(', ')} (it is "${state}").`);
  }
  await withAppContext(async ({ db }) =>
    printTable(input, (await listRequests(db, state as RequestState, MAX_LISTED)).map(wire)),
  );
}

async function decide(input: Input, state: 'approved' | 'refused'): Promise<void> {
  const id = required(input, 'request');
  const note = state === 'refused' ? required(input, 'note') : (optional(input, 'note') ?? '');
  const limit = limitIn(input);
  await withAppContext(async ({ config, db, clock, mail }) => {
    const request = await decideRequest(db, clock.now(), id, { state, note, by: 'command', limit });
    if (request === undefined) throw new UsageError(`No request waits under the id ${id}; see: scorehall access list`);
    const applicant = request.account_id === null ? undefined : await accountById(db, request.account_id);
    if (applicant !== undefined) mail.send(decisionMail(config, applicant, request));
    await mail.settled();
    print(input, wire(request));
  });
}

function limitIn(input: Input): number | undefined {
  const text = optional(input, 'limit');
  if (text === undefined || /^[1-9]\d{0,8}$/.test(text)) return text === undefined ? undefined : Number(text);
  throw new UsageError(`--limit must be a whole number from 1 to 999999999 (it is "${text}").`);
}

function wire(request: AccessRequest): Record<string, unknown> {
  const { id, client_id, application_name: name, kind, account_name, purpose, site, volume, state, note } = request;
  const [created, decided] = [request.created, request.decided].map((ms) =>
    ms === null ? null : new Date(ms).toISOString(),
  );
  return { id, client_id, name, kind, account: account_name, purpose, site, volume, state, note, created, decided };
}

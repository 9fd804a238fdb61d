import { requestAccess } from '#store/applications/access-requests.ts';
import { changeApplication } from '#store/applications/application-changes.ts';
import { applicationByClientId } from '#store/applications/applications.ts';
import { account } from '#test/support/builders.ts';
import type { TestAppContext } from '#test/support/context.ts';
import { type ApplicationTwin, inFile, ofClient, registered } from './application-examples.ts';
import type { Example, Twin } from './examples.ts';

const act = ({ client_id }: ApplicationTwin): string => `/operator/applications/${client_id}`;

const approve: Example<ApplicationTwin> = {
  prepare: (context, name) => registered(context, name, { access: 'none' }),
  page: (twin) => [act(twin), { access: 'approved' }],
  command: (twin) => ['app', 'approve', ...ofClient(twin)],
  file: (twin) => inFile(twin, { access: 'approved' }),
};

const revoke: Example<ApplicationTwin> = {
  prepare: registered,
  page: (twin) => [act(twin), { access: 'revoked' }],
  command: (twin) => ['app', 'revoke', ...ofClient(twin), '--yes'],
  file: (twin) => inFile(twin, { access: 'revoked' }),
};

const limit: Example<ApplicationTwin> = {
  prepare: registered,
  page: (twin) => [act(twin), { limit: '5000' }],
  command: (twin) => ['app', 'limit', ...ofClient(twin), '--limit', '5000'],
  file: (twin) => inFile(twin, { hourly_limit: 5000 }),
};

interface WaitingTwin extends ApplicationTwin {
  id: string;
}

async function request(context: TestAppContext, name: string): Promise<WaitingTwin> {
  const [twin, owner] = [await registered(context, name), await account(context, `Of${name}`)];
  const found = (await applicationByClientId(context.db, twin.client_id))!;
  const wish = { kind: 'limit', account_id: owner.id, purpose: 'Many.', site: '', volume: 9000 } as const;
  const { id } = (await requestAccess(context.db, context.clock.now(), found, wish))!;
  return { ...twin, id };
}

async function change(context: TestAppContext, name: string): Promise<WaitingTwin> {
  const [twin, owner] = [await registered(context, name), await account(context, `Of${name}`)];
  const found = (await applicationByClientId(context.db, twin.client_id))!;
  const wanted = { ...found, name: `New ${name}` };
  const waiting = await changeApplication(context.db, context.clock.now(), twin.client_id, wanted, owner.id);
  return { ...twin, id: waiting!.change.id };
}

type Prepare = (context: TestAppContext, name: string) => Promise<WaitingTwin>;

/** A decision about a request or a change, which have the same command. */
const decision = (
  prepare: Prepare,
  path: string,
  [verb, state]: ['approve', 'approved'] | ['refuse', 'refused'],
  fields: Record<string, string>,
): Example<WaitingTwin> => ({
  prepare,
  page: ({ id }: Twin & { id: string }) => [`${path}/${id}`, { state, ...fields }],
  command: ({ id }) => [
    ...['access', verb, '--request', id],
    ...Object.entries(fields).flatMap(([name, value]) => [`--${name}`, value]),
  ],
});

const [REQUESTS, CHANGES] = ['/operator/requests', '/operator/changes'];
const NOTE = { note: 'As agreed.' };

export const ACCESS_EXAMPLES = {
  'access.approve': approve,
  'access.revoke': revoke,
  'access.limit': limit,
  'access.approve (request)': decision(request, REQUESTS!, ['approve', 'approved'], { ...NOTE, limit: '7000' }),
  'access.refuse': decision(request, REQUESTS!, ['refuse', 'refused'], NOTE),
  'application.change.approve': decision(change, CHANGES!, ['approve', 'approved'], NOTE),
  'application.change.refuse': decision(change, CHANGES!, ['refuse', 'refused'], NOTE),
};

import { secretsOf } from '#store/applications/applications.ts';
import { sql } from '#db/sql.ts';
import { application } from '#test/support/builders.ts';
import type { TestAppContext } from '#test/support/context.ts';
import type { Example, Twin } from './examples.ts';

export interface ApplicationTwin extends Twin {
  client_id: string;
  key: number;
}

export async function registered(
  context: TestAppContext,
  name: string,
  facts: Parameters<typeof application>[1] = {},
): Promise<ApplicationTwin> {
  const { client_id, key } = await application(context, { name, ...facts });
  // A decision is stored with the name of the operator, or with `command`.
  return { name, client_id, key, words: { [name]: 'NAME', Olga: 'DECIDER', command: 'DECIDER' } };
}

export const ofClient = ({ client_id }: ApplicationTwin): string[] => ['--client-id', client_id];
export const inFile = ({ name, client_id }: ApplicationTwin, members: object) => ({
  applications: [{ name, client_id, type: 'service', ...members }],
});

const page = ({ client_id }: ApplicationTwin, path: string): string => `/applications/${client_id}${path}`;

const BYE = { post_logout_redirect_uris: 'https://board.example/bye' };

const change: Example<ApplicationTwin> = {
  prepare: registered,
  page: (twin) => [page(twin, '/settings'), { name: twin.name, ...BYE, require_pkce: '1', rotate_refresh_tokens: '1' }],
  command: (twin) => [
    ...['app', 'set', ...ofClient(twin)],
    ...['--post-logout-redirect-uri', BYE.post_logout_redirect_uris],
    ...['--require-pkce', 'yes', '--rotate-refresh-tokens', 'yes'],
  ],
  file: (twin) =>
    inFile(twin, {
      post_logout_redirect_uris: [BYE.post_logout_redirect_uris],
      require_pkce: true,
      rotate_refresh_tokens: true,
    }),
};

const start: Example<ApplicationTwin> = {
  prepare: async (context, name) => {
    const twin = await registered(context, name);
    await context.db.run(sql`update applications set suspended = 'deleted' where key = ${twin.key}`);
    return twin;
  },
  page: ({ client_id }) => [`/operator/applications/${client_id}`, { start: '1' }],
  command: (twin) => ['app', 'start', ...ofClient(twin)],
};

const remove: Example<ApplicationTwin> = {
  asksByForm: true,
  prepare: registered,
  page: (twin) => [page(twin, '/delete'), { name: twin.name }],
  command: (twin) => ['app', 'delete', ...ofClient(twin), '--yes'],
};

const createSecret: Example<ApplicationTwin> = {
  prepare: registered,
  page: (twin) => [page(twin, '/secrets'), { name: 'staging' }],
  command: (twin) => ['app', 'secret', 'add', ...ofClient(twin), '--name', 'staging'],
};

const withdrawSecret: Example<ApplicationTwin & { secret: string }> = {
  prepare: async (context, name) => {
    const twin = await registered(context, name);
    return { ...twin, secret: (await secretsOf(context.db, twin.key))[0]!.id };
  },
  page: (twin) => [page(twin, '/secrets/remove'), { id: twin.secret }],
  command: (twin) => ['app', 'secret', 'withdraw', ...ofClient(twin), '--id', twin.secret, '--yes'],
};

export const APPLICATION_EXAMPLES = {
  'application.change': change,
  'application.start': start,
  'application.delete': remove,
  'application.secret.create': createSecret,
  'application.secret.withdraw': withdrawSecret,
};

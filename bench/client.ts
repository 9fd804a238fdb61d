import { type Environment, readConfig } from '#platform/config/config.ts';
import { type AppContext, openAppContext } from '#context/context.ts';
import { createApplication, deleteApplication } from '#store/applications/applications.ts';
import { issueClientToken } from '#store/applications/tokens.ts';

export const REDIRECT_URI = 'https://bench.example/callback';

const DAY_MS = 86_400_000;

/** An application with a secret and a token, on whose behalf the bench sends requests. Deleted on dispose. */
export interface BenchClient extends AsyncDisposable {
  context: AppContext;
  clientId: string;
  secret: string;
  token: string;
}

export async function openBenchClient(url: string, settings: Environment = process.env): Promise<BenchClient> {
  const context = await openAppContext(readConfig({ ...settings, DATABASE_URL: url, LOG_LEVEL: 'error' }));
  const { db, clock } = context;
  const { application, secret } = await createApplication(db, clock.now(), {
    name: 'bench',
    type: 'service',
    redirect_uris: [REDIRECT_URI],
    access: 'approved',
  });
  const clientId = application.client_id;
  return {
    context,
    clientId,
    secret: secret!,
    token: await issueClientToken(db, clock.now(), clientId, DAY_MS),
    async [Symbol.asyncDispose]() {
      await deleteApplication(db, clientId);
      await context[Symbol.asyncDispose]();
    },
  };
}

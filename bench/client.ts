import { type Environment, readConfig } from '#platform/config.ts';
import { type Hall, openHall } from '#context/context.ts';
import { createApplication, deleteApplication } from '#store/applications/applications.ts';
import { issueClientToken } from '#store/applications/tokens.ts';

export const REDIRECT_URI = 'https://bench.example/callback';

const DAY_MS = 86_400_000;

/** Whoever asks for what is measured: an application with a secret and a token, which goes again at the end. */
export interface Asker extends AsyncDisposable {
  hall: Hall;
  clientId: string;
  secret: string;
  token: string;
}

export async function openAsker(url: string, settings: Environment = process.env): Promise<Asker> {
  const hall = await openHall(readConfig({ ...settings, DATABASE_URL: url, LOG_LEVEL: 'error' }));
  const { db, clock } = hall;
  const { application, secret } = await createApplication(db, clock.now(), {
    name: 'bench',
    type: 'service',
    redirect_uris: [REDIRECT_URI],
    access: 'approved',
  });
  const clientId = application.client_id;
  return {
    ...{ hall, clientId, secret: secret! },
    token: await issueClientToken(db, clock.now(), clientId, DAY_MS),
    async [Symbol.asyncDispose]() {
      await deleteApplication(db, clientId);
      await hall[Symbol.asyncDispose]();
    },
  };
}

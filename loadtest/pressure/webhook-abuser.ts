import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { secretHash } from '#platform/crypto/secrets.ts';
import { readConfig } from '#platform/config/config.ts';
import { openSecretKey } from '#platform/crypto/secret-key.ts';
import { openDb } from '#db/open.ts';
import { sql } from '#db/sql.ts';
import { addWebhook, markVerified, MAX_WEBHOOKS, webhookById } from '#store/applications/webhooks/webhooks.ts';
import { readFeed, RESOURCE_KINDS } from '#store/game/changes.ts';
import { createReaderIn } from '../support/prepare.ts';
import type { Abuser, Target } from './abuser.ts';
import { Statuses } from './metrics.ts';

const APPLICATIONS = 3;

/** Three applications whose webhooks, as many as they can have, read the whole feed as fast as it is delivered. */
export const webhookAbuser = (prepare: Abuser['prepare']): Abuser => ({
  name: 'webhooks',
  prepare: prepare!,
  attack: async (target, stop) => {
    const receiver = createServer((request, response) => {
      request.resume();
      response.writeHead(204).end();
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    await addWebhooks(target, `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`);
    if (!stop.aborted) await once(stop, 'abort');
    receiver.closeAllConnections();
    receiver.close();
    return new Statuses();
  },
  check: async ({ url }) => {
    await using db = await openDb(url);
    const row = await db.get<{ webhooks: number; messages: number | string }>(
      sql`select count(*) as webhooks, sum(logged) as messages from webhooks`,
    );
    const { webhooks, messages } = row!;
    const isComplete = webhooks === APPLICATIONS * MAX_WEBHOOKS && Number(messages) > 0;
    return [{ name: 'messages that webhooks got', figure: `${messages}, of ${webhooks}`, meetsTarget: isComplete }];
  },
});

async function addWebhooks({ url: database }: Target, url: string): Promise<void> {
  await using db = await openDb(database, { keyedHash: secretHash });
  const secretKey = openSecretKey(readConfig({ ...process.env, DATABASE_URL: database }));
  const { id: feed, head } = await readFeed(db);
  const wanted = { url, form: 'standard', kinds: RESOURCE_KINDS, after_reset: 'start' } as const;
  for (let made = 0; made < APPLICATIONS; made++) {
    const { application } = await createReaderIn(db);
    for (let number = 0; number < MAX_WEBHOOKS; number++) {
      const cursor = { feed, number: 0, walk: { head } };
      const { id } = (await addWebhook(db, Date.now(), secretKey, { key: application.key, ...wanted, cursor }))!;
      await markVerified(db, Date.now(), (await webhookById(db, id))!.key);
    }
  }
}

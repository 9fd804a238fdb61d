import { openSecretKey } from '#platform/crypto/secret-key.ts';
import { sql } from '#db/sql.ts';
import { addWebhook, challengeOf, markVerified, turnOff, webhookById } from '#store/applications/webhooks/webhooks.ts';
import { readFeed } from '#store/game/changes.ts';
import type { TestAppContext } from '#test/support/context.ts';
import { type ApplicationTwin, ofClient, registered } from './application-examples.ts';
import type { Example } from './examples.ts';

interface WebhookTwin extends ApplicationTwin {
  id: string;
  code: string;
}

type State = 'unverified' | 'on' | 'owner' | 'operator';

const prepared =
  (state: State) =>
  async (context: TestAppContext, name: string): Promise<WebhookTwin> => {
    const { db, clock, config } = context;
    const twin = await registered(context, name);
    const { id: feed, head } = await readFeed(db);
    const place = { kinds: ['match'], after_reset: 'head', cursor: { feed, number: head } } as const;
    const wanted = {
      key: twin.key,
      url: `https://${name.toLowerCase()}.example/`,
      form: 'standard',
      ...place,
    } as const;
    const { id } = (await addWebhook(db, clock.now(), openSecretKey(config), wanted))!;
    const webhook = (await webhookById(db, id))!;
    if (state !== 'unverified') {
      await markVerified(db, clock.now(), webhook.key);
      await db.run(sql`update webhook_deliveries set state = 'delivered' where webhook_key = ${webhook.key}`);
    }
    if (state === 'owner' || state === 'operator') await turnOff(db, clock.now(), webhook.key, state);
    return { ...twin, id, code: challengeOf(db, webhook) };
  };

const ofOwner = (
  state: State,
  path: string,
  words: string,
  form: (twin: WebhookTwin) => Record<string, string> = () => ({}),
  ...more: string[]
): Example<WebhookTwin> => ({
  prepare: prepared(state),
  page: (twin) => [`/applications/${twin.client_id}/webhooks/${twin.id}/${path}`, form(twin)],
  command: (twin) => [
    ...['webhook', words, '--id', twin.id],
    ...Object.entries(form(twin)).flatMap(([name, value]) => [`--${name}`, value]),
    ...more,
  ],
});

const create: Example<ApplicationTwin> = {
  prepare: registered,
  page: ({ client_id, name }) => [
    `/applications/${client_id}/webhooks`,
    { url: `https://${name}.example/`, kind_match: '1', kind_map: '1', start: 'start' },
  ],
  command: (twin) => [
    ...['webhook', 'add', ...ofClient(twin), '--url', `https://${twin.name}.example/`],
    ...['--kinds', 'map,match', '--start', 'start'],
  ],
};

const ofOperator = (state: State, path: string, ...more: string[]): Example<WebhookTwin> => ({
  prepare: prepared(state),
  page: ({ id }) => [`/operator/webhooks/${id}/${path}`, {}],
  command: ({ id }) => ['webhook', path, '--id', id, ...more],
});

export const WEBHOOK_EXAMPLES = {
  'webhook.create': create,
  'webhook.verify': ofOwner('unverified', 'verify', 'verify', ({ code }) => ({ code })),
  'webhook.test': ofOwner('on', 'test', 'test'),
  'webhook.pause': ofOwner('on', 'pause', 'pause'),
  'webhook.resume': ofOwner('owner', 'resume', 'resume'),
  'webhook.secret.rotate': ofOwner('on', 'secret', 'rotate-secret'),
  'webhook.move': ofOwner('on', 'move', 'move', () => ({ to: 'start' })),
  'webhook.resend': ofOwner('on', 'resend', 'resend', () => ({ number: '1' })),
  'webhook.delete': ofOwner('on', 'delete', 'delete', () => ({}), '--yes'),
  'webhook.block': ofOperator('on', 'block', '--yes'),
  'webhook.unblock': ofOperator('operator', 'unblock'),
};

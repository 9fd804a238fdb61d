import { readConfig } from '#platform/config/config.ts';
import { openAppContext } from '#context/context.ts';
import { openSecretKey } from '#platform/crypto/secret-key.ts';
import type { Queryable } from '#db/db.ts';
import { openDb } from '#db/open.ts';
import { sql } from '#db/sql.ts';
import type { Application } from '#store/applications/applications.ts';
import { addWebhook, setPlace, webhookById } from '#store/applications/webhooks/webhooks.ts';
import type { Cursor } from '#store/game/change-cursors.ts';
import { readFeed, RESOURCE_KINDS } from '#store/game/changes.ts';
import { freePorts } from '#test/support/ports.ts';
import type { Random } from '#demo/network/random.ts';
import { CuttingProxy } from './cutting-proxy.ts';

/** The webhook of a mirror, which receives behind a proxy. */
export class Deliveries {
  readonly proxy: CuttingProxy;
  readonly receiver: { port: number; secret: string };
  readonly #id: string;

  private constructor(proxy: CuttingProxy, receiver: { port: number; secret: string }, id: string) {
    this.proxy = proxy;
    this.receiver = receiver;
    this.#id = id;
  }

  /** Adds a webhook that begins with the present state. */
  static async begin(environment: NodeJS.ProcessEnv, { key }: Application, random: Random): Promise<Deliveries> {
    const [port] = (await freePorts(1)) as [number];
    const proxy = await CuttingProxy.open(() => port, random);
    await using context = await openAppContext(readConfig({ ...environment, LOG_LEVEL: 'error' }));
    const { db, clock, config } = context;
    const added = await addWebhook(db, clock.now(), openSecretKey(config), {
      key,
      url: `http://127.0.0.1:${proxy.port}/changes`,
      form: 'standard',
      kinds: RESOURCE_KINDS,
      after_reset: 'start',
      cursor: await beginningOf(db),
    });
    return new Deliveries(proxy, { port, secret: added!.secret! }, added!.id);
  }

  /** Lets everything come again, as the owner of a receiver that lost its disk does. */
  async beginAgain(database: string): Promise<void> {
    await using db = await openDb(database);
    const { key } = (await webhookById(db, this.#id))!;
    await setPlace(db, key, await beginningOf(db));
  }

  /** Lets the time until the next attempts pass, and that of the lease of a killed process. */
  async hurry(database: string): Promise<void> {
    await using db = await openDb(database);
    await db.run(sql`update webhooks set next_attempt = 0, holder = ''`);
    await db.run(sql`update webhook_deliveries set next_attempt = 1 where next_attempt > 0`);
  }
}

async function beginningOf(db: Queryable): Promise<Cursor> {
  const { id: feed, head } = await readFeed(db);
  return { feed, number: 0, walk: { head } };
}

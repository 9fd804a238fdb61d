import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { sql } from '#db/sql.ts';
import { deliveriesBefore } from '#store/applications/webhooks/deliveries.ts';
import { webhookById } from '#store/applications/webhooks/webhooks.ts';
import { application } from '#test/support/builders.ts';
import { onSqlite, testContext } from '#test/support/context.ts';
import { scorehall } from './scorehall.ts';

onSqlite('the commands of docs/webhooks.md run as they stand, and the log has pages', async (t, url) => {
  const context = await testContext(t, url);
  const { db } = context;
  const app = await application(context);
  const environment = { DATABASE_URL: url, SECRET_KEY: 'a secret that is long enough for tests', LOG_LEVEL: 'silent' };
  const [, block = ''] = /^```sh\n(.*?)^```/ms.exec(readFileSync('docs/webhooks.md', 'utf8')) ?? [];
  let id = app.client_id;
  const run = async (typed: string): Promise<string> => {
    const args = typed.replace(/ID/, id).split(' ');
    const { status, out, err } = await scorehall(environment, ...args);
    assert.equal(status, 0, `${typed}: ${err}`);
    return out;
  };
  const commands = block.trim().split('\n');
  assert.ok(commands.length > 10);
  for (const line of commands) {
    const typed = line.replace(/ +#.*/, '').replace(/^scorehall /, '');
    if (typed.startsWith('webhook test'))
      await db.run(sql`update webhook_deliveries set state = 'delivered', next_attempt = null`);
    if (typed.startsWith('webhook resend')) {
      const pages = await pagesOf(id);
      assert.deepEqual(
        pages.map((numbers) => numbers.length),
        [200, 200, 2],
      );
    }
    const out = await run(typed);
    if (typed.startsWith('webhook add')) {
      ({ id } = JSON.parse(out) as { id: string });
      const { status, err } = await scorehall(environment, 'webhook', 'resume', '--id', id);
      assert.equal(status, 2);
      assert.match(err, /is not verified yet; see: scorehall webhook verify --help/);
    }
  }
  assert.equal(await webhookById(db, id), undefined);

  async function pagesOf(webhook: string): Promise<number[][]> {
    const { key } = (await webhookById(db, webhook))!;
    const [newest] = await deliveriesBefore(db, key, 1e9, 1);
    await db.run(sql`
      with recursive numbers (number) as (select 1 union all select number + 1 from numbers where number < 400)
      insert into webhook_deliveries (webhook_key, number, type, state, attempts, created, reason, response)
      select ${key}, number + ${newest!.number}, 'webhook.test', 'delivered', 1, 0, '', '' from numbers`);
    const pages: number[][] = [];
    for (let before = ''; pages.length < 9; before = ` --before ${pages.at(-1)!.at(-1)}`) {
      const rows = JSON.parse(await run(`webhook log --id ID${before} --json`)) as { number: number }[];
      if (rows.length === 0) return pages;
      pages.push(rows.map(({ number }) => number));
    }
    return pages;
  }
});

import type { Db } from '#db/db.ts';
import { challengeOf, webhookById } from '#store/applications/webhooks/webhooks.ts';
import type { Fields, RecordedBrowser } from './recorded-browser.ts';

const HOOKS = '/console/operator/webhooks';

/** What owners do with the webhooks of their application, and what the operator does, who is an owner, too. */
export async function manageWebhooks(operator: RecordedBrowser, pages: Fields, db: Db): Promise<void> {
  const [list, logged] = [pages['webhooks']!, pages['webhook']!];
  const url = 'https://hooks.example.org/gull';
  await operator.act('webhook refused', list, list, { url: 'http://hooks.example.org/' });
  await operator.act('channel refused', list, list, { url, form: 'discord' });
  await operator.act('webhook', list, list, { url, start: 'start', after_reset: 'start' });
  const at = operator.browser.page.url.replace(/^https?:\/\/[^/]+|\?.*$/g, '');
  const id = at.split('/').at(-1)!;
  const webhook = (await webhookById(db, id))!;
  await operator.act('webhook not verified', at, `${at}/verify`, { code: 'guessed' });
  await operator.act('webhook verified', at, `${at}/verify`, { code: challengeOf(db, webhook) });
  for (const to of ['yesterday', '2026-01-31T12:00:00Z', 'start', 'head'])
    await operator.act(`webhook moved to ${to}`, at, `${at}/move`, { to });
  for (const act of ['test', 'test', 'pause', 'pause', 'test', 'resume', 'resume', 'secret'])
    await operator.act(`webhook ${act}`, at, `${at}/${act}`);
  await operator.open('webhook log', logged);
  await operator.act('message again', logged, `${logged}/resend`, { number: operator.value('number') });
  await operator.act('no message again', logged, `${logged}/resend`, { number: '999' });
  for (const title of ['blocked', 'blocked twice'])
    await operator.act(`webhook ${title}`, HOOKS, `${HOOKS}/${id}/block`);
  await operator.act('webhook resumed by its owner', at, `${at}/resume`);
  for (const title of ['unblocked', 'unblocked twice'])
    await operator.act(`webhook ${title}`, HOOKS, `${HOOKS}/${id}/unblock`);
  for (const title of ['deleted', 'deleted twice']) await operator.act(`webhook ${title}`, at, `${at}/delete`);
  await operator.open('webhooks of all applications', HOOKS);
}

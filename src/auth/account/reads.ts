import { html } from 'hono/html';
import { type FormatTime, LOCALES } from '#http/languages.ts';
import { type Html, rowItem, section } from '#http/page.ts';
import { type AccountRead, readsOfAccount } from '#store/applications/account-reads.ts';
import type { Account } from '#store/accounts/accounts.ts';
import { countedUntil } from '#store/applications/usage.ts';
import { bucketStart } from '#store/game/time-buckets.ts';
import type { Deps } from '../deps.ts';
import type { Texts } from '../texts/index.ts';

/** The applications that read the data of the game account, by day; nothing about an account that had none. */
export async function readsCard(
  { db, config, clock }: Pick<Deps, 'db' | 'config' | 'clock'>,
  { account: { reads: t }, lang }: Texts,
  { id, player_uuid }: Account,
  formatTime: FormatTime,
): Promise<Html> {
  const reads = await readsOfAccount(db.shortReads, id, { zone: config.TIME_ZONE, now: clock.now() });
  if (player_uuid === null && reads.length === 0) return html``;
  const until = await countedUntil(db.shortReads);
  const days = [...Map.groupBy(reads, ({ day }) => day)];
  // A bucket begins at midnight UTC of its date, whatever the zone of the network.
  const formatDay = new Intl.DateTimeFormat(LOCALES[lang], { dateStyle: 'medium', timeZone: 'UTC' });
  const content = html`<p class="soft">${t.lead}</p>
    ${days.length === 0 ? html`<p class="soft">${t.none}</p>` : ''}
    <ul class="rows">
      ${days.map(([day, some]) =>
        rowItem(html`<strong>${formatDay.format(bucketStart(day))}</strong> ${some.map((one) => row(t, one))}`),
      )}
    </ul>
    <p class="hint">${until === undefined ? t.not_counted : t.until(formatTime(until))}</p>`;
  return section('reads', t.title, content);
}

const row = (t: Texts['account']['reads'], { name, requests }: AccountRead): Html =>
  html`<span class="hint"><bdi>${name ?? t.deleted}</bdi> · ${t.requests(requests)}</span> `;

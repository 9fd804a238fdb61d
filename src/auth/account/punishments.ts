import { html } from 'hono/html';
import { en, punishmentTypeName } from '#http/game-texts/en.ts';
import { ja } from '#http/game-texts/ja.ts';
import { COLON, type FormatTime } from '#http/languages.ts';
import { appealContact, contactHtml } from '#http/contact.ts';
import { type Html, rowItem, section } from '#http/page.ts';
import { idOf } from '#platform/ids.ts';
import type { Config } from '#platform/config/config.ts';
import type { Punishment } from '#store/game/punishments.ts';
import type { Texts } from '../texts/index.ts';

const TYPES = { en: en.punishmentTypes, ja: ja.punishmentTypes };

/** The punishments in force against the linked game account, and how to object; nothing without one. */
export function punishmentsCard(
  config: Config,
  texts: Texts,
  punishments: readonly Punishment[],
  formatTime: FormatTime,
): Html {
  if (punishments.length === 0) return html``;
  const { account: t, lang } = texts;
  const contact = appealContact(config);
  const content = html`<ul class="rows">
      ${punishments.map((one) => row(config.SITE_URL, texts, one, formatTime))}
    </ul>
    ${contact === '' ? '' : html`<p>${t.appeal}${COLON[lang]}${contactHtml(contact)}</p>`}`;
  return section('punishments', t.punishments, content);
}

function row(
  site: string,
  { account: t, lang }: Texts,
  { key, type, reason, expires, server }: Punishment,
  formatTime: FormatTime,
): Html {
  const id = idOf(key);
  const until = expires === null ? t.permanent : t.until(formatTime(expires));
  const by = server === '' ? t.by_network : t.by_server(server);
  return rowItem(
    html`<strong><bdi>${punishmentTypeName(TYPES[lang], type)}</bdi></strong> <bdi>${reason}</bdi>`,
    html`${until} · <bdi>${by}</bdi> · <a href="${site}/punishments/${id}">${t.punishment_id} ${id}</a>`,
  );
}

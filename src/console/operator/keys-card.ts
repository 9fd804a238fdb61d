import { html } from 'hono/html';
import { type Html, rowItem, section } from '#http/page.ts';
import type { ServerKey } from '#store/game/server-keys.ts';
import { button, timestamp } from '../components.ts';
import type { ConsoleRequest } from '../routes.ts';

/** The keys of a game server, each with a link to what it changed. */
export function keysCard(request: ConsoleRequest, id: string, keys: readonly ServerKey[]): Html {
  const { operator: t } = request.texts;
  const root = `/operator/servers/${id}/keys`;
  const valid = keys.filter(({ expires }) => expires === null || expires > request.now);
  const content = html`${valid.length === 0 ? html`<p class="soft">${t.no_keys}</p>` : ''}
    <ul class="rows">
      ${valid.map((key) =>
        rowItem(
          key.test ? html`<code>shk_test_…</code> <span class="badge">${t.test_key}</span>` : html`<code>shk_…</code>`,
          html`${t.made} ${timestamp(request, key.created)}
          ${key.expires === null ? '' : html` · ${t.valid_until} ${timestamp(request, key.expires)}`} ·
          ${changesLink(request, root, key.id)}`,
          button(request, root, t.revoke_key, {
            ...{ kind: 'quiet danger', fields: { act: 'revoke', key: key.id }, about: key.id },
          }),
        ),
      )}
    </ul>
    ${formerKeys(
      request,
      root,
      keys.filter((key) => !valid.includes(key)),
    )}
    <div class="actions">
      ${button(request, root, t.new_key, { fields: { act: 'create' } })}
      ${button(request, root, t.new_test_key, { fields: { act: 'test' } })}
      ${button(request, root, t.rotate_key, { fields: { act: 'rotate' } })}
    </div>`;
  return section('keys', t.keys, content);
}

const changesLink = ({ texts }: ConsoleRequest, root: string, id: string): Html =>
  html`<a href="/console${root}/${id}">${texts.operator.changes_by_key}</a>`;

/** What a stolen key changed is undone after the key was revoked. */
function formerKeys(request: ConsoleRequest, root: string, keys: readonly ServerKey[]): Html {
  const { operator: t } = request.texts;
  if (keys.length === 0) return html``;
  return html`<details>
    <summary>${t.former_keys}</summary>
    <ul class="rows">
      ${keys.map(({ id, expires }) =>
        rowItem(
          html`<code>${id}</code>`,
          html`${t.valid_until} ${timestamp(request, expires!)} · ${changesLink(request, root, id)}`,
        ),
      )}
    </ul>
  </details>`;
}

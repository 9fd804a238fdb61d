import { html } from 'hono/html';
import type { Html } from '#http/page.ts';
import type { ServerKey } from '#store/game/server-keys.ts';
import { button, timestamp } from '../components.ts';
import type { ConsoleRequest } from '../routes.ts';

/** The keys of a game server, each with a link to what it changed. */
export function keysCard(request: ConsoleRequest, id: string, keys: readonly ServerKey[], now: number): Html {
  const { operator: t } = request.texts;
  const root = `/operator/servers/${id}/keys`;
  const valid = keys.filter(({ expires }) => expires === null || expires > now);
  return html`<section class="card" aria-labelledby="keys">
    <h2 id="keys">${t.keys}</h2>
    ${valid.length === 0 ? html`<p class="soft">${t.no_keys}</p>` : ''}
    <ul class="rows">
      ${valid.map(
        (key) =>
          html`<li>
            <span class="what"
              ><code>${key.test ? 'shk_test_…' : 'shk_…'}</code>
              ${key.test ? html`<span class="badge">${t.test_key}</span>` : ''}
              <span class="hint"
                >${t.made}
                ${timestamp(request, key.created)}${
                  key.expires === null ? '' : html` · ${t.valid_until} ${timestamp(request, key.expires)}`
                }
                · <a href="/console${root}/${key.id}">${t.changes_by_key}</a></span
              ></span
            >
            ${button(request, root, t.revoke_key, { kind: 'quiet danger', fields: { act: 'revoke', key: key.id }, about: key.id })}
          </li>`,
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
    </div>
  </section>`;
}

/** What a stolen key changed is undone after the key was revoked. */
function formerKeys(request: ConsoleRequest, root: string, keys: readonly ServerKey[]): Html {
  const { operator: t } = request.texts;
  if (keys.length === 0) return html``;
  return html`<details>
    <summary>${t.former_keys}</summary>
    <ul class="rows">
      ${keys.map(
        ({ id, expires }) =>
          html`<li>
            <span class="what"
              ><code>${id}</code>
              <span class="hint"
                >${t.valid_until} ${timestamp(request, expires!)} ·
                <a href="/console${root}/${id}">${t.changes_by_key}</a></span
              ></span
            >
          </li>`,
      )}
    </ul>
  </details>`;
}

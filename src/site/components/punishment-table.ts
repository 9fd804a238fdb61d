import { html } from 'hono/html';
import { idOf } from '#platform/ids.ts';
import { punishmentTypeName } from '#http/game-texts/en.ts';
import type { Html } from '#http/page.ts';
import { ACTIVE, EXPIRED, type Punishment } from '#store/game/punishments.ts';
import type { PageRequest } from '../page-request.ts';
import { playerLink } from './player-link.ts';
import { ago } from './labels.ts';

/** The name of a punishment type in the reader's language; a custom type as the server reported it. */
export const typeName = ({ text }: PageRequest, type: string): string => punishmentTypeName(text.punishmentTypes, type);

export function stateChip({ text }: PageRequest, { state }: Punishment): Html {
  const name = state === ACTIVE ? 'active' : state === EXPIRED ? 'expired' : 'revoked';
  return html`<span class="state ${name}">${text.punishmentStates[name]}</span>`;
}

export function punishmentTable(
  request: PageRequest,
  items: readonly Punishment[],
  { withPlayer }: { withPlayer: boolean },
): Html {
  const { text } = request;
  const { columns } = text;
  if (items.length === 0) return html`<p class="soft">${text.punishment.none}</p>`;
  return html`<div class="card scroll" tabindex="0" role="group" aria-label="${text.sections.punishments}">
    <table class="punishments">
      <thead>
        <tr>
          <th scope="col">${columns.type}</th>
          ${withPlayer ? html`<th scope="col">${columns.player}</th>` : ''}
          <th scope="col">${columns.reason}</th>
          <th scope="col">${columns.state}</th>
          <th scope="col">${columns.when}</th>
        </tr>
      </thead>
      <tbody>
        ${items.map(
          (item) =>
            html`<tr>
              <th scope="row">
                <a href="/punishments/${idOf(item.key)}"><bdi>${typeName(request, item.type)}</bdi></a>
              </th>
              ${withPlayer ? html`<td>${playerLink(request, item.punished)}</td>` : ''}
              <td class="reason"><bdi>${item.reason}</bdi></td>
              <td>${stateChip(request, item)}</td>
              <td class="soft small">${ago(request, item.time)}</td>
            </tr> `,
        )}
      </tbody>
    </table>
  </div>`;
}

import { html } from 'hono/html';
import { idOf } from '#platform/ids.ts';
import { punishmentTypeName } from '#http/game-texts/en.ts';
import type { Html } from '#http/page.ts';
import { ACTIVE, EXPIRED, type Punishment } from '#store/game/punishments.ts';
import type { PageRequest } from '../page-request.ts';
import { playerLink } from './player-link.ts';
import { table } from './table.ts';
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
  const names = [columns.type, ...(withPlayer ? [columns.player] : []), columns.reason, columns.state, columns.when];
  return table({
    label: text.sections.punishments,
    kind: 'punishments',
    head: html`${names.map((name) => html`<th scope="col">${name}</th> `)}`,
    rows: items.map(
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
    ),
  });
}

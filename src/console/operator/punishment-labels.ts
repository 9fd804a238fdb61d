import { html } from 'hono/html';
import { punishmentTypeName } from '#http/game-texts/en.ts';
import type { Html } from '#http/page.ts';
import type { Punishment } from '#store/game/punishments.ts';
import { timestamp } from '../components.ts';
import type { ConsoleRequest } from '../routes.ts';

/** The name of a punishment type in the reader's language; a custom type as the server reported it. */
export const typeName = ({ texts }: ConsoleRequest, type: string): string =>
  punishmentTypeName(texts.operator.punishment_types, type);

export function stateBadge({ texts: { operator: t } }: ConsoleRequest, { state }: Punishment): Html {
  return html`<span class="badge ${['bad', '', 'good'][state]}">${t.punishment_states[state]}</span>`;
}

export function expiryOf(request: ConsoleRequest, { expires }: Punishment): Html | string {
  return expires === null ? request.texts.operator.never_expires : timestamp(request, expires);
}

import { html } from 'hono/html';
import { field } from '#http/fields.ts';
import type { Html } from '#http/page.ts';
import { readUntil } from '#platform/text/until.ts';
import { playerByUuid } from '#store/game/players.ts';
import type { Punishment } from '#store/game/punishments.ts';
import { type Problems, textOf, timestamp } from '../../components.ts';
import type { ConsoleRequest } from '../../routes.ts';

/** The terms of a punishment (type, level, reason, expiry): how pages show them, and the fields that set them. */

export const MAX_REASON = 500;
const MAX_TYPE = 32;

export function expiryOf(request: ConsoleRequest, { expires }: Punishment): Html | string {
  return expires === null ? request.texts.operator.never_expires : timestamp(request, expires);
}

interface Terms {
  type: string;
  level: number;
  reason: string;
  /** Epoch milliseconds; null for never. */
  expires: number | null;
}

export function termsFields(
  { texts: { operator: t } }: ConsoleRequest,
  entered: ConsoleRequest['form'],
  problems: Problems,
): Html {
  return html`${field({ name: 'type', label: t.kind, hint: t.kind_hint, value: entered['type'], error: problems['type'], maxlength: MAX_TYPE })}
  ${field({ name: 'reason', label: t.reason, hint: t.reason_hint, value: entered['reason'], error: problems['reason'], maxlength: MAX_REASON, optional: true })}
  ${field({ name: 'expires', label: t.expires, hint: t.expires_hint, value: entered['expires'] ?? 'never', error: problems['expires'], maxlength: 40 })}
  ${field({ name: 'level', label: t.level, hint: t.level_hint, value: entered['level'] ?? '0', error: problems['level'], type: 'number' })}`;
}

/** The fields with the terms that a punishment has. */
export const enteredTerms = ({ type, level, reason, expires }: Punishment): ConsoleRequest['form'] => ({
  type,
  level: String(level),
  reason,
  expires: expires === null ? 'never' : new Date(expires).toISOString(),
});

/**
 * Reads the fields.
 * @param present the present expiry of the punishment, which may be over
 */
export function readTerms({ form, texts, now }: ConsoleRequest, present?: number | null): Terms | Problems {
  const { operator: t } = texts;
  const type = textOf(form['type'], MAX_TYPE);
  const level = /^\d{1,9}$/.test(form['level']?.trim() ?? '') ? Number(form['level']) : undefined;
  const reason = (form['reason'] ?? '').trim() === '' ? '' : textOf(form['reason'], MAX_REASON);
  const until = readUntil(form['expires'] ?? '', now);
  const expires = until === null || until === undefined || until > now || until === present ? until : undefined;
  if (type !== undefined && level !== undefined && reason !== undefined && expires !== undefined)
    return { type, level, reason, expires };
  return {
    type: type === undefined ? t.kind_wrong : undefined,
    level: level === undefined ? t.level_wrong : undefined,
    reason: reason === undefined ? t.reason_wrong(MAX_REASON) : undefined,
    expires: expires === undefined ? t.expires_wrong : undefined,
  };
}

export const isComplete = (read: Terms | Problems): read is Terms => typeof read['level'] === 'number';

/** The expiry as the event has it. */
export const wireExpiry = (expires: number | null): string | null =>
  expires === null ? null : new Date(expires).toISOString();

/** The game account of the person, whom a punishment names as its issuer or revoker. */
export async function playerOf({ deps, person }: ConsoleRequest): Promise<{ uuid: string; name: string } | null> {
  const { player_uuid } = person.account;
  const player = player_uuid === null ? undefined : await playerByUuid(deps.db, player_uuid);
  return player === undefined ? null : { uuid: player.uuid, name: player.name };
}

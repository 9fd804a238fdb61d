import { html } from 'hono/html';
import { type Choice, field } from '#http/fields.ts';
import type { Html } from '#http/page.ts';
import { readUntil } from '#platform/text/until.ts';
import { LAST_TIMESTAMP } from '#text/time.ts';
import { playerByUuid } from '#store/game/players.ts';
import { listPunishments, type Punishment } from '#store/game/punishments.ts';
import { type Problems, textOf } from '../../components.ts';
import { choiceField, chosenIn, localTime, readTime, timeField } from '../../entry-fields.ts';
import type { ConsoleRequest } from '../../routes.ts';

/** The terms of a punishment (type, level, reason, expiry): the fields that set them. */

export const MAX_REASON = 500;
const MAX_TYPE = 32;
const DURATIONS = ['1h', '12h', '1d', '3d', '7d', '30d', '90d'] as const;
/** The newest punishments, whose reasons are offered again. */
const NEWEST = 100;
const MAX_REASONS = 8;

interface Terms {
  type: string;
  level: number;
  reason: string;
  /** Epoch milliseconds; null for never. */
  expires: number | null;
}

export async function termsFields(
  request: ConsoleRequest,
  entered: ConsoleRequest['form'],
  problems: Problems,
): Promise<Html> {
  const { operator: t } = request.texts;
  const zone = request.deps.config.TIME_ZONE;
  const types = Object.entries(t.punishment_types).map(([value, label]) => ({ value, label }));
  const reasons = ['', ...(await usualReasons(request))].map((value) => ({ value, label: value || t.no_reason }));
  const ends = [
    { value: 'never', label: t.never_expires },
    ...DURATIONS.map((value) => ({ value, label: t.durations[value] })),
  ];
  const choice = (name: string, label: string, options: readonly Choice[], initial: string) => ({
    ...{ name, label, options, chosen: entered[name] === undefined ? initial : chosenIn(entered, name) },
  });
  return html`${choiceField(request, choice('type', t.kind, types, 'ban'), (other) =>
    field({ ...other, label: t.other_kind, hint: t.kind_hint, error: problems['type'], maxlength: MAX_TYPE }),
  )}
  ${choiceField(request, choice('reason', t.reason, reasons, ''), (other) =>
    field({
      ...other,
      ...{ label: t.other_reason, hint: t.reason_hint, error: problems['reason'], maxlength: MAX_REASON },
    }),
  )}
  ${choiceField(request, choice('expires', t.expires, ends, 'never'), (other) =>
    timeField(zone, { ...other, label: t.expires_at, hint: request.texts.zone(zone), error: problems['expires'] }),
  )}
  ${field({ name: 'level', label: t.level, hint: t.level_hint, value: entered['level'] ?? '0', error: problems['level'], type: 'number' })}`;
}

/** The reasons of the newest punishments, the most frequent first. */
async function usualReasons({ deps, now }: ConsoleRequest): Promise<string[]> {
  const counts = new Map<string, number>();
  for (const { reason } of await listPunishments(deps.db, Number.MAX_SAFE_INTEGER, NEWEST, now))
    if (reason !== '') counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const byCount = [...counts].toSorted(([, one], [, other]) => other - one);
  return byCount.slice(0, MAX_REASONS).map(([reason]) => reason);
}

/** The fields with the terms that a punishment has. */
export const enteredTerms = (request: ConsoleRequest, punishment: Punishment): ConsoleRequest['form'] => ({
  type: punishment.type,
  level: String(punishment.level),
  reason: punishment.reason,
  expires: punishment.expires === null ? 'never' : localTime(request.deps.config.TIME_ZONE, punishment.expires),
});

/**
 * Reads the fields.
 * @param present the present expiry of the punishment, which may be over
 */
export function readTerms(request: ConsoleRequest, present?: number | null): Terms | Problems {
  const { form, now } = request;
  const { operator: t } = request.texts;
  const type = textOf(chosenIn(form, 'type'), MAX_TYPE);
  const level = /^\d{1,9}$/.test(form['level']?.trim() ?? '') ? Number(form['level']) : undefined;
  const enteredReason = chosenIn(form, 'reason').trim();
  const reason = enteredReason === '' ? '' : textOf(enteredReason, MAX_REASON);
  const until = readEnd(request, present);
  const isOffered = until === null || until === undefined || until === present;
  const expires = isOffered || (until > now && until < LAST_TIMESTAMP) ? until : undefined;
  if (type !== undefined && level !== undefined && reason !== undefined && expires !== undefined)
    return { type, level, reason, expires };
  return {
    type: type === undefined ? t.kind_wrong : undefined,
    level: level === undefined ? t.level_wrong : undefined,
    reason: reason === undefined ? t.reason_wrong(MAX_REASON) : undefined,
    expires: expires === undefined ? t.expires_wrong : undefined,
  };
}

/** @returns epoch milliseconds, null for never, undefined if the text is none; `present` if it was left as it is */
function readEnd(request: ConsoleRequest, present: number | null | undefined): number | null | undefined {
  const { TIME_ZONE: zone } = request.deps.config;
  const text = chosenIn(request.form, 'expires');
  // In the repeated hour the picker shows the same for both.
  if (present !== undefined && present !== null && text === localTime(zone, present)) return present;
  return readUntil(text, request.now) ?? (text === 'never' ? null : readTime(zone, text));
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

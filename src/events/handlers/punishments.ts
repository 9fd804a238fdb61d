import { sql } from '#db/sql.ts';
import { keyOfReference } from '#store/game/punishments.ts';
import type { DataOf } from '../schema.ts';
import { type EventContext, type HandlerResult, EventRejected, sourceOf, observePlayer } from '../unit-of-work.ts';

/** Stores a new punishment under the key of its event. */
export async function applyIssued(context: EventContext, data: DataOf<'punishment.issued'>): Promise<HandlerResult> {
  const { batch, key, time, server } = context;
  if (data.expires !== null && data.expires < time)
    throw new EventRejected('data.expires', 'must not be earlier than the time of the event');
  const known = await keyOfReference(batch.tx, sourceOf(context), data.punishment);
  if (known !== undefined)
    throw new EventRejected('data.punishment', 'was issued before; send punishment.changed to change it');
  const punished = await observePunished(context, data.punished);
  await batch.tx.run(sql`
    insert into punishments (key, scope_key, reference, punisher_uuid, punisher_name, punished_key, type, level, reason,
      server, automatic, time, expires, revoked, changed)
    values (${key}, ${sourceOf(context)}, ${data.punishment}, ${data.punisher?.uuid ?? null}, ${data.punisher?.name ?? null},
      ${punished}, ${data.type}, ${data.level}, ${data.reason}, ${server?.name ?? ''}, ${data.automatic ? 1 : 0}, ${time},
      ${data.expires}, null, ${time})`);
  return undefined;
}

async function observePunished(context: EventContext, player: { uuid: string; name: string }): Promise<number> {
  await context.batch.load([player.uuid]);
  const { key } = observePlayer(context, player);
  await context.batch.flush();
  return key;
}

/** Changes the members that the event has. An event older than the last change has no effect. */
export async function applyChanged(context: EventContext, data: DataOf<'punishment.changed'>): Promise<HandlerResult> {
  const key = await requireKey(context, data.punishment);
  const changed = await context.batch.tx.run(sql`
    update punishments set
      type = coalesce(${data.type ?? null}, type),
      level = coalesce(${data.level ?? null}, level),
      reason = coalesce(${data.reason ?? null}, reason),
      expires = case when ${data.expires === undefined ? 0 : 1} = 1 then ${data.expires ?? null} else expires end,
      changed = ${context.time}
    where key = ${key} and changed <= ${context.time}`);
  return changed === 0 ? { note: 'nothing changed: a newer change of this punishment is already stored' } : undefined;
}

export async function applyRevoked(context: EventContext, data: DataOf<'punishment.revoked'>): Promise<HandlerResult> {
  const key = await requireKey(context, data.punishment);
  const changed = await context.batch.tx.run(
    sql`update punishments set revoked = ${context.time} where key = ${key} and revoked is null`,
  );
  return changed === 0 ? { note: 'nothing changed: the punishment is already revoked' } : undefined;
}

async function requireKey(context: EventContext, reference: string): Promise<number> {
  const key = await keyOfReference(context.batch.tx, sourceOf(context), reference);
  if (key !== undefined) return key;
  throw new EventRejected('data.punishment', 'names no punishment of this sender; send punishment.issued first', true);
}

import { NAMED_KINDS } from '#store/game/renamed-players.ts';
import { idOf, keyOf } from '#platform/ids.ts';
import { sql } from '#db/sql.ts';
import { recordAudit } from '#store/audit/audit.ts';
import { findTargets, type PunishmentTarget, targetByKey } from '#store/game/punishments.ts';
import { keyAuthority } from '#store/game/server-keys.ts';
import { punishmentAggregate, punishmentOfAggregate } from './punishment-aggregate.ts';
import { anonymisePunishment } from './punishment-anonymisation.ts';
import {
  type EventContext,
  EventRejected,
  eventScope,
  type HandlerResult,
  observePlayer,
  PunishmentReferences,
} from '../ledger/unit-of-work.ts';
import { type Accepted, AGGREGATE_ONLY, type Effects, PLAIN_EFFECT } from './event-effect.ts';
import type { DataOf } from '../schema/index.ts';
import type { PUNISHMENT_EVENTS } from '../schema/punishments.ts';
import type { Queryable } from '#db/db.ts';
import { serverByName } from '#store/game/servers.ts';
import { isSameJson } from '#text/text.ts';

/** Stores a new punishment under the key of its event. Unless it replays the event, the caller has loaded the player. */
async function applyIssued(context: EventContext, data: DataOf<'punishment.issued'>): Promise<HandlerResult> {
  const { work, sender, key, time, server, isReplay } = context;
  if (data.expires !== null && data.expires < time)
    throw new EventRejected('data.expires', 'must not be earlier than the time of the event');
  await requireValidKey(context);
  const scope = eventScope(context);
  // A rebuild has deleted the rows of its aggregate, which `work.references` may have read before.
  const references = isReplay ? new PunishmentReferences(work.tx) : work.references;
  if (await references.isUsed(scope, data.punishment))
    throw new EventRejected('data.punishment', 'was issued before; send punishment.changed to change it');
  references.add(scope, data.punishment);
  if (isReplay) await work.load([data.punished.uuid]);
  const punished = observePlayer(context, data.punished);
  const { punishment, punisher, type, level, reason, automatic, expires } = data;
  work.rows.add('punishments', [
    ...[key, scope, punishment, punisher?.uuid ?? null, punisher?.name ?? null, punished.key, type, level, reason],
    ...[server?.name ?? '', automatic ? 1 : 0, time, expires, time],
  ]);
  work.changes.add('punishment', key, 'created');
  if (isReplay) await work.flush();
  else if (sender.kind === 'server' || !sender.isImport) work.issued.push({ key, scope, reference: punishment, time });
  return undefined;
}

/** Changes the members that the event has. An event older than the last change has no effect. */
async function applyChanged(context: EventContext, data: DataOf<'punishment.changed'>): Promise<HandlerResult> {
  const target = await requireTarget(context, data);
  const { punishment_id: _id, punishment: _reference, server: _server, ...terms } = data;
  const changed = await context.work.tx.run(sql`
    update punishments set
      type = coalesce(${terms.type ?? null}, type),
      level = coalesce(${terms.level ?? null}, level),
      reason = coalesce(${terms.reason ?? null}, reason),
      expires = case when ${terms.expires === undefined ? 0 : 1} = 1 then ${terms.expires ?? null} else expires end,
      changed = ${context.time}
    where key = ${target.key} and changed <= ${context.time}`);
  const aggregate = punishmentAggregate(target);
  if (changed === 0) return { aggregate, note: 'nothing changed: a newer change of this punishment is already stored' };
  context.work.changes.add('punishment', target.key, 'changed');
  const { expires } = terms;
  const until = expires === undefined || expires === null ? expires : new Date(expires).toISOString();
  await recordChange(context, 'punishment.change', target, { ...terms, expires: until });
  return { aggregate };
}

async function applyRevoked(context: EventContext, data: DataOf<'punishment.revoked'>): Promise<HandlerResult> {
  const target = await requireTarget(context, data);
  const { reason, revoker } = data;
  const changed = await context.work.tx.run(sql`
    update punishments set revoked = ${context.time}, revoked_on = ${context.server?.name ?? ''}, revoke_reason = ${reason},
      revoker_uuid = ${revoker?.uuid ?? null}, revoker_name = ${revoker?.name ?? null}
    where key = ${target.key} and revoked is null`);
  const aggregate = punishmentAggregate(target);
  if (changed === 0) return { aggregate, note: 'nothing changed: the punishment is already revoked' };
  context.work.changes.add('punishment', target.key, 'changed');
  await recordChange(context, 'punishment.revoke', target, { reason });
  return { aggregate };
}

/**
 * Finds the punishment that an event is about. Punishments belong to the network: a server may change those of other
 * servers, unless the operator has restricted it to its own.
 */
async function requireTarget(
  context: EventContext,
  data: DataOf<'punishment.changed'> | DataOf<'punishment.revoked'>,
): Promise<PunishmentTarget> {
  const authority = await requireValidKey(context);
  if (context.work.rows.has('punishments')) await context.work.flush();
  const target = await findNamed(context.work.tx, eventScope(context), data);
  if (target === undefined) {
    const place = data.punishment_id === undefined ? 'data.punishment' : 'data.punishment_id';
    throw new EventRejected(place, 'names no punishment of the network; send punishment.issued first', true);
  }
  if (authority === 'own' && target.scope !== eventScope(context))
    throw new EventRejected(
      data.punishment_id === undefined ? 'data.server' : 'data.punishment_id',
      'names a punishment that this server did not issue, and the operator lets it change only its own',
    );
  return target;
}

/**
 * Reads which punishments the sender may change. The ingest authenticates a request when it begins; this second check, in
 * the transaction, rejects the events of a long request after its key was revoked.
 */
async function requireValidKey({ work, sender, isReplay }: EventContext): Promise<'network' | 'own'> {
  if (isReplay || sender.kind === 'operator') return 'network';
  const authority = await keyAuthority(work.tx, sender.serverKey, sender.credential, work.now);
  if (authority !== undefined) return authority;
  throw new EventRejected('', 'was sent with a key that is revoked; ask the operator for a new one', true);
}

/** Records in the audit log which key of a game server changed a punishment. Commands and the console record their own. */
async function recordChange(
  { work, sender, key, isReplay }: EventContext,
  action: string,
  target: PunishmentTarget,
  detail: Record<string, string | number | null | undefined>,
): Promise<void> {
  if (isReplay || sender.kind === 'operator') return;
  const { serverName, credential } = sender;
  const actor = { via: 'game', account_id: null, name: serverName, address: serverName } as const;
  const facts = { key: idOf(credential), receipt: idOf(key), ...detail };
  await recordAudit(work.tx, work.now, actor, {
    action,
    subject: idOf(target.key),
    label: target.punished,
    detail: facts,
  });
}

/** An export names the punishment by its issuer, even if the event has its id. */
const BY_ISSUER = { isSame: isSameChange, exported: namedByIssuer };

export const PUNISHMENT_EFFECTS: Effects<typeof PUNISHMENT_EVENTS> = {
  'punishment.issued': {
    apply: applyIssued,
    load: async ({ references }, events) =>
      await references.load(events.map(({ scope, data }) => [scope, data.punishment] as const)),
    changes: NAMED_KINDS,
    changesPlayers: false,
    aggregate: ({ punishment }, scope) => punishmentAggregate({ scope, reference: punishment }),
    observes: ({ punished }) => punished,
    retract: AGGREGATE_ONLY,
    anonymise: anonymisePunishment,
  },
  'punishment.changed': {
    ...PLAIN_EFFECT,
    apply: applyChanged,
    changes: ['punishment'],
    retract: AGGREGATE_ONLY,
    anonymise: anonymisePunishment,
    ...BY_ISSUER,
  },
  'punishment.revoked': {
    ...PLAIN_EFFECT,
    apply: applyRevoked,
    changes: ['punishment'],
    retract: AGGREGATE_ONLY,
    anonymise: anonymisePunishment,
    ...BY_ISSUER,
  },
};

/**
 * Returns a function that replaces the punishment's id in an exported change by its issuer and the issuer's reference. A
 * network that already has newer events gives the punishment another id on import, so the exported id would not find it.
 */
async function namedByIssuer(db: Queryable) {
  const servers = await db.all<{ key: number; name: string }>(sql`select key, name from servers`);
  const names = new Map(servers.map(({ key, name }) => [key, name]));
  return ({ aggregate }: { aggregate: string | null }, data: Record<string, unknown>): object => {
    const { punishment_id, ...others } = data;
    const target = punishment_id === undefined ? undefined : punishmentOfAggregate(aggregate);
    if (target === undefined) return data;
    return { ...others, punishment: target.reference, server: names.get(target.scope) ?? '' };
  };
}

/** The punishment that an event names: by id, or by the issuer's reference, with the issuer if it is another server. */
export interface NamedPunishment {
  punishment_id?: string | undefined;
  punishment?: string | undefined;
  server?: string | undefined;
}

/** Finds the punishment that an event of this sender names. @param scope the key of the server that sent it, or 0 */
export async function findNamed(
  db: Queryable,
  scope: number,
  { punishment_id, punishment, server }: NamedPunishment,
): Promise<PunishmentTarget | undefined> {
  if (punishment_id !== undefined) return await targetByKey(db, keyOf(punishment_id) ?? 0);
  const issuer = server === undefined ? scope : await findScope(db, server);
  return issuer === undefined ? undefined : (await findTargets(db, issuer, [punishment!]))[0];
}

async function findScope(db: Queryable, server: string): Promise<number | undefined> {
  return server === '' ? 0 : (await serverByName(db, server))?.key;
}

/**
 * Whether two events with the same id change the same punishment in the same way, however each names it: an export always
 * names it by its issuer, and may be imported into the network that it comes from.
 * @param accepted the earlier event, with the aggregate of its punishment
 * @param raw the data of the other event as JSON
 */
async function isSameChange(db: Queryable, accepted: Accepted, raw: string): Promise<boolean> {
  if (!isSameJson(withoutName(accepted.body), withoutName(raw))) return false;
  const target = await findNamed(db, accepted.scope, JSON.parse(raw) as NamedPunishment);
  return target !== undefined && punishmentAggregate(target) === accepted.aggregate;
}

function withoutName(body: string): string {
  const { punishment_id: _id, punishment: _reference, server: _server, ...terms } = JSON.parse(body) as NamedPunishment;
  return JSON.stringify(terms);
}

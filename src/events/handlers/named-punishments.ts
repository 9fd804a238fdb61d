import { keyOf } from '#platform/ids.ts';
import type { Queryable } from '#db/db.ts';
import { findTarget, type PunishmentTarget, targetByKey } from '#store/game/punishments.ts';
import { serverByName } from '#store/game/servers.ts';
import { isSameJson } from '#text/text.ts';
import { punishmentAggregate } from './punishment-aggregate.ts';

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
  return issuer === undefined ? undefined : await findTarget(db, issuer, punishment!);
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
export async function isSameChange(
  db: Queryable,
  accepted: { scope: number; body: string; aggregate: string | null },
  raw: string,
): Promise<boolean> {
  if (!isSameJson(withoutName(accepted.body), withoutName(raw))) return false;
  const target = await findNamed(db, accepted.scope, JSON.parse(raw) as NamedPunishment);
  return target !== undefined && punishmentAggregate(target) === accepted.aggregate;
}

function withoutName(body: string): string {
  const { punishment_id: _id, punishment: _reference, server: _server, ...terms } = JSON.parse(body) as NamedPunishment;
  return JSON.stringify(terms);
}

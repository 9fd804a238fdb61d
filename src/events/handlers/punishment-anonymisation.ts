import { sql } from '#db/sql.ts';
import { renamedText, withoutNames } from '#store/game/renamed-json.ts';
import { isReplaced } from '#store/game/own-teams.ts';
import type { UnitOfWork } from '../ledger/unit-of-work.ts';
import type { DeletedPlayers } from './event-effect.ts';
import { punishmentOfAggregate } from './punishment-aggregate.ts';

type Shown = { key: number } & Record<'reason' | 'revoke_reason', string> &
  Record<'punisher_uuid' | 'punisher_name' | 'revoker_uuid' | 'revoker_name', string | null>;

/**
 * Replaces deleted players in the row of a punishment, of which an event was renamed. If that issued it to one of them, their
 * names in the reasons of later changes are replaced, too.
 */
export async function anonymisePunishment(work: UnitOfWork, event: number, players: DeletedPlayers): Promise<void> {
  const { tx } = work;
  const { aggregate, body } = (await tx.get<{ aggregate: string | null; body: string }>(sql`
    select aggregate, body from ledger where key = ${event}`))!;
  const named = punishmentOfAggregate(aggregate);
  if (named === undefined) return;
  const { punished } = JSON.parse(body) as { punished?: { uuid: string } };
  const pseudonym = [...players.pseudonyms.values()].find(({ uuid }) => uuid === punished?.uuid);
  const unnamed = (reason: string): string => {
    const text = renamedText(reason, players.pseudonyms);
    return pseudonym === undefined ? text : withoutNames(text, players.names, pseudonym.name);
  };
  if (pseudonym !== undefined) await renameReasons(work, { aggregate: aggregate!, besides: event }, unnamed);
  const before = await tx.get<Shown>(sql`
    select key, punisher_uuid, punisher_name, revoker_uuid, revoker_name, reason, revoke_reason from punishments
    where scope_key = ${named.scope} and reference = ${named.reference}`);
  if (before === undefined) return;
  const [punisher, revoker] = [
    [before.punisher_uuid, before.punisher_name] as const,
    [before.revoker_uuid, before.revoker_name] as const,
  ].map(([uuid, name]) => {
    const other = uuid === null ? undefined : players.pseudonyms.get(uuid);
    return other && isReplaced(name, other) ? other : undefined;
  });
  const after = {
    ...before,
    ...(punisher && { punisher_uuid: punisher.uuid, punisher_name: punisher.name }),
    ...(revoker && { revoker_uuid: revoker.uuid, revoker_name: revoker.name }),
    ...{ reason: unnamed(before.reason), revoke_reason: unnamed(before.revoke_reason) },
  };
  if (JSON.stringify(after) === JSON.stringify(before)) return;
  await tx.run(sql`
    update punishments set punisher_uuid = ${after.punisher_uuid}, punisher_name = ${after.punisher_name},
      revoker_uuid = ${after.revoker_uuid}, revoker_name = ${after.revoker_name}, reason = ${after.reason},
      revoke_reason = ${after.revoke_reason}
    where key = ${after.key}`);
  work.changes.add('punishment', after.key, 'changed');
}

/** Replaces the reasons of the other events of a punishment. */
async function renameReasons(
  { tx }: UnitOfWork,
  { aggregate, besides }: { aggregate: string; besides: number },
  unnamed: (reason: string) => string,
): Promise<void> {
  const rows = await tx.tuples(sql`
    select key, body from ledger where aggregate = ${aggregate} and key <> ${besides}`);
  for (const [key, json] of rows as [number, string][]) {
    const data = JSON.parse(json) as { reason?: string };
    if (data.reason === undefined || unnamed(data.reason) === data.reason) continue;
    const body = JSON.stringify({ ...data, reason: unnamed(data.reason) });
    await tx.run(sql`update ledger set body = ${body}, content_hash = null where key = ${key}`);
  }
}

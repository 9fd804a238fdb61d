import { noteForOwner } from '#store/accounts/account-notices.ts';
import type { Clock } from '#platform/clock.ts';
import type { Queryable, Transactional } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { type LinkFailure, linkPlayer } from '#store/accounts/account-changes.ts';
import { type ReturningPunishment, returningPunishments } from '#store/accounts/deleted-players.ts';
import type { Renamed } from '#store/game/own-teams.ts';
import type { Named } from '#store/game/players.ts';
import { renamedText, withoutNames } from '#store/game/renamed-json.ts';
import { NAMED_KINDS } from '#store/game/renamed-players.ts';
import { createJob, markStale } from '#store/jobs.ts';
import { Keys } from '#store/sequence.ts';
import type { NamingColumns } from '../ledger/pseudonyms.ts';
import { storeRenamed } from './renamed-events.ts';
import { UnitOfWork } from '../ledger/unit-of-work.ts';

/** Links a game account to an account on behalf of an operator. @returns why it is refused; undefined on success */
export async function linkGameAccount(
  db: Transactional,
  clock: Clock,
  account: string,
  player: Named,
): Promise<LinkFailure | undefined> {
  return await db.transaction(async (tx) => {
    const work = new UnitOfWork(tx, await Keys.lock(tx), clock.now());
    const returning = await returningPunishments(tx, player.uuid);
    const refusal = await linkPlayer(tx, account, player);
    if (refusal !== undefined) return refusal;
    await noteForOwner(tx, clock.now(), account, { kind: 'linked', label: player.name });
    work.changes.declare(NAMED_KINDS);
    await returnPunishments(work, player, returning);
    await work.flush();
    await work.keys.save();
    return undefined;
  });
}

/** Returns the UUID and the name to the reference and the reasons of a punishment and its events, so that an import finds it again. */
async function returnNames(tx: Queryable, key: number, pseudonym: Named, player: Named): Promise<void> {
  const returned: Renamed = new Map([[pseudonym.uuid, player]]);
  const named = (text: string): string => withoutNames(renamedText(text, returned), [pseudonym.name], player.name);
  const { reason, revoke_reason } = (await tx.get<Record<'reason' | 'revoke_reason', string>>(
    sql`select reason, revoke_reason from punishments where key = ${key}`,
  ))!;
  await tx.run(sql`
    update punishments set reason = ${named(reason)}, revoke_reason = ${named(revoke_reason)} where key = ${key}`);
  const rows = await tx.all<NamingColumns & { key: number }>(sql`
    select key, event_id, aggregate, body, envelope from ledger
    where aggregate = (select aggregate from ledger where key = ${key})`);
  for (const row of rows) {
    const data = Object.entries(JSON.parse(row.body) as Record<string, unknown>).map(([member, value]) => {
      const isText = (member === 'punishment' || member === 'reason') && typeof value === 'string';
      return [member, isText ? named(value) : value];
    });
    const aggregate = renamedText(row.aggregate!, returned);
    const body = JSON.stringify(Object.fromEntries(data));
    if (aggregate !== row.aggregate || body !== row.body) await storeRenamed(tx, row, { ...row, aggregate, body });
  }
}

/**
 * Returns punishments to a game account that is linked again. Their events in the ledger name the game account again, so
 * that a rebuild or an export does too.
 */
export async function returnPunishments(
  work: UnitOfWork,
  player: Named,
  punishments: readonly ReturningPunishment[],
): Promise<void> {
  const { tx, now } = work;
  if (punishments.length === 0) return;
  await work.load([player.uuid]);
  for (const { time } of punishments) work.players.observe(player, time, work.keys);
  const returned = work.players.find(player.uuid)!;
  await work.flush();
  for (const { key, time, punished_key, body } of punishments) {
    const data = JSON.parse(body) as { punished: Named };
    const issued = JSON.stringify({ ...data, punished: { uuid: player.uuid, name: player.name } });
    await tx.runAll([
      sql`update ledger set body = ${issued} where key = ${key}`,
      sql`delete from name_observations where player_key = ${punished_key} and ledger_key = ${key}`,
      sql`
        insert into name_observations (player_key, ledger_key, time, name)
        values (${returned.key}, ${key}, ${time}, ${player.name}) on conflict (player_key, ledger_key, name) do nothing`,
      sql`update punishments set punished_key = ${returned.key} where key = ${key}`,
    ]);
    await returnNames(tx, key, data.punished, player);
    work.changes.add('punishment', key, 'changed');
  }
  // A job without UUIDs derives stale players only: the pseudonym's player may have lost its last observation.
  await markStale(tx, 'player', [returned.key, ...punishments.map(({ punished_key }) => punished_key)]);
  await createJob(tx, now, { kind: 'anonymisation', label: '', params: { hashes: [] } });
}

import assert from 'node:assert/strict';
import type { Db } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { exportEvents } from '#events/export.ts';
import { ingestEvents } from '#events/ingest/ingest-events.ts';
import type { WireEvent } from '#events/schema/index.ts';
import { removeFormerName } from '#store/accounts/removed-names.ts';
import { projectMatches } from '#store/game/leaderboards/leaderboard-projection.ts';
import { namesOf, playerByUuid } from '#store/game/players.ts';
import {
  after,
  BEGINNING,
  configured,
  event,
  login,
  match,
  person,
  punishment,
  statistics,
  team,
} from '#test/support/builders.ts';
import type { TestAppContext } from '#test/support/context.ts';
import { finishJobs } from '#test/support/jobs.ts';
import { rowsOf, tableNames } from '#test/support/database-content.ts';
import { canonicalDumpOf } from './canonical-dump.ts';

/** A network with a player whose former name is removed. */

/** A name that no other text contains. */
export const FORMER = 'Vqxzjk_Former';
export const UUID = '5e7ac0de-91b4-4d3c-a26f-77e0c4b1d952';
export const LABEL = '5e7ac0de-77e0c4b1d952';
export const OLD = { uuid: UUID, name: FORMER };
export const NOW = { uuid: UUID, name: 'Present' };
export const ADA = person(1, 'Ada');

export const wool = (player: { uuid: string; name: string }, name: string) =>
  ({ player, team: name, type: 'wool', name: 'Red Wool', time: BEGINNING }) as const;

/** Events that name the player in each way, first under the former name, then under the present one. */
export const HISTORY: readonly WireEvent[] = [
  configured('Alpha'),
  login('Alpha', OLD, { time: after(-9_000_000), id: `joined ${FORMER}` }),
  match(
    {
      gamemode: 'ffa',
      win: FORMER,
      winners: [FORMER, `${FORMER} 2`],
      teams: [
        team(FORMER, { ...OLD, kill_count: 1, counters: { best_streak: 2 } }),
        team(`${FORMER} 2`, { ...OLD, primary: false }),
        team('Ada', { ...ADA, death_count: 1 }),
      ],
      objectives: [wool(OLD, FORMER)],
      kills: [
        { killer: OLD.uuid, victim: ADA.uuid, time: after(-200_000) },
        { killer: ADA.uuid, victim: OLD.uuid, time: after(-100_000) },
      ],
      started: after(-8_600_000),
      finished: after(-8_000_000),
    },
    { time: after(-8_000_000) },
  ),
  match(
    {
      teams: [team('Red', OLD), team('Blue', 1)],
      // The team of a player who left it is no team of the match.
      objectives: [wool(OLD, 'Red'), wool(OLD, `${FORMER} 2`)],
      started: after(-7_600_000),
      finished: after(-7_000_000),
    },
    { time: after(-7_000_000) },
  ),
  punishment('p1', OLD, { reason: `${FORMER} cheats`, punisher: ADA }, { server: 'Alpha', time: after(-6_000_000) }),
  event(
    'punishment.changed',
    { punishment: 'p1', reason: `VQXZJK_former, again` },
    { server: 'Alpha', time: after(-5_900_000) },
  ),
  punishment('p2', ADA, { punisher: OLD, reason: 'spam' }, { server: 'Alpha', time: after(-5_800_000) }),
  event(
    'punishment.revoked',
    { punishment: 'p2', revoker: OLD, reason: 'sorry' },
    { server: 'Alpha', time: after(-5_700_000) },
  ),
  statistics(OLD, { kill_count: 3 }, { time: after(-5_600_000) }),
  event('player.named', { player: NOW }, { time: after(-3_000_000) }),
  match({ teams: [team('Red', NOW), team('Blue', 1)] }),
];

export async function remove({ db, clock }: TestAppContext, name = FORMER, uuid = UUID): Promise<void> {
  const removed = await db.transaction((tx) => removeFormerName(tx, clock.now(), uuid, name));
  assert.ok('job' in removed, JSON.stringify(removed));
  await finishJobs(db);
}

/** Which tables have the former name. */
export async function tablesWith({ db }: Pick<TestAppContext, 'db'>, text = FORMER): Promise<string[]> {
  const rows = await rowsOf(db, await tableNames(db));
  const found = rows.filter((row) => row.toLowerCase().includes(text.toLowerCase()));
  return [...new Set(found.map((row) => row.split(' ', 1)[0]!))];
}

export const namesAt = async ({ db }: Pick<TestAppContext, 'db'>, uuid = UUID): Promise<string[]> =>
  (await namesOf(db, (await playerByUuid(db, uuid))!.key)).map(({ name }) => name);

export const exported = (db: Db): Promise<WireEvent[]> => Array.fromAsync(exportEvents(db));

const removals = (db: Db) =>
  db.all(sql`select * from removed_names where player_key is not null order by uuid_hash, name_hash`);

/** Imports the export into an empty database with the same secret key, which must get the same rows. */
export async function checkImport({ db, clock }: TestAppContext, copy: Db): Promise<void> {
  const receipts = await ingestEvents(copy, clock, { kind: 'operator' }, await exported(db));
  assert.deepEqual(
    receipts.filter(({ status }) => status !== 'accepted'),
    [],
  );
  await finishJobs(copy);
  for (const one of [db, copy]) await one.run(sql`update match_details set revision = 0`);
  await db.run(sql`update ledger set credential = 0`);
  assert.deepEqual(await removals(copy), await removals(db));
  for (const one of [db, copy]) while (await projectMatches(one, 'UTC', clock.now()));
  assert.deepEqual(await canonicalDumpOf(copy), await canonicalDumpOf(db));
}

import { NAMED_KINDS } from '#store/game/renamed-players.ts';
import { sql } from '#db/sql.ts';
import { type Sums, toSums } from '#store/game/player-stats.ts';
import { applyReports, withdrawReports } from './counter-reports.ts';
import type { LedgerRow } from '../ledger/ledger-rows.ts';
import { withoutZeros } from '../schema/counters.ts';
import { type Effects, PLAIN_EFFECT } from './event-effect.ts';
import type { DataOf } from '../schema/index.ts';
import type { STATISTICS_EVENTS } from '../schema/player-statistics.ts';
import { type EventContext, type HandlerResult, observePlayer, type UnitOfWork } from '../ledger/unit-of-work.ts';

/**
 * Adds the counters of a report and stores its power and faction, which are valid until a later report. Reports of the
 * gamemode `vanilla` (the game's own statistics) are only stored in the ledger.
 */
async function applyStatistics(context: EventContext, data: DataOf<'player.statistics'>): Promise<HandlerResult> {
  const { work, key, time } = context;
  const player = observePlayer(context, data.player);
  if (data.gamemode === 'vanilla') return undefined;
  work.players.count(player, 'factions', sumsIn(data));
  work.rows.add('faction_reports', [
    player.key,
    time,
    key,
    data.power,
    data.faction,
    data.faction_id,
    data.faction_role,
  ]);
  const values = data.counters && withoutZeros(data.counters);
  if (values === undefined) return undefined;
  const reported = { uuid: data.player.uuid, path: 'data.counters', values };
  const warnings = await applyReports(context, 'factions', [reported]);
  return warnings && { warnings };
}

async function undoStatistics(
  work: UnitOfWork,
  { key, time }: LedgerRow,
  data: DataOf<'player.statistics'>,
): Promise<null> {
  const { tx, players } = work;
  const player = players.find(data.player.uuid)!;
  if (data.gamemode !== 'vanilla') players.count(player, 'factions', sumsIn(data), -1);
  await withdrawReports(work, key);
  await tx.run(sql`
    delete from faction_reports where player_key = ${player.key} and time = ${time} and ledger_key = ${key}`);
  return null;
}

const sumsIn = ({ kill_count, death_count, time_played }: DataOf<'player.statistics'>): Sums =>
  toSums('factions', { kill: kill_count, death: death_count, time: time_played });

export const STATISTICS_EFFECTS: Effects<typeof STATISTICS_EVENTS> = {
  'player.statistics': {
    ...PLAIN_EFFECT,
    apply: applyStatistics,
    changes: NAMED_KINDS,
    observes: ({ player }) => player,
    retract: { undo: undoStatistics },
  },
};

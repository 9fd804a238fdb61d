import { type Sums, sumsOf } from '#store/game/player-stats.ts';
import type { PlayerAccumulator } from '../player-accumulator.ts';
import { applyReports, withoutZeros } from '../counters/report.ts';
import type { DataOf } from '../schema.ts';
import { type EventContext, type HandlerResult, observePlayer } from '../unit-of-work.ts';

/**
 * Adds the counters of a report and stores its power and faction, which are valid until a later report. Reports of the
 * gamemode `vanilla` (the game's own statistics) are only stored in the ledger.
 */
export async function applyStatistics(
  context: EventContext,
  data: DataOf<'player.statistics'>,
): Promise<HandlerResult> {
  const { batch, key, time } = context;
  const player = observePlayer(context, data.player);
  if (data.gamemode === 'vanilla') return undefined;
  batch.players.count(player, 'factions', sumsIn(data));
  batch.rows.add('faction_reports', [
    player.key,
    time,
    key,
    data.power,
    data.faction,
    data.faction_id,
    data.faction_role,
  ]);
  const values = withoutZeros(data.counters);
  if (values === undefined) return undefined;
  const reported = { uuid: data.player.uuid, path: 'data.counters', values };
  const warnings = await applyReports(context, 'factions', [reported]);
  return warnings && { warnings };
}

/** Subtracts a report from the player's counters. */
export function removeStatistics(accumulator: PlayerAccumulator, data: DataOf<'player.statistics'>): void {
  if (data.gamemode !== 'vanilla') accumulator.count(accumulator.find(data.player.uuid)!, 'factions', sumsIn(data), -1);
}

const sumsIn = ({ kill_count, death_count, time_played }: DataOf<'player.statistics'>): Sums =>
  sumsOf('factions', { kill: kill_count, death: death_count, time: time_played });

import { type Sums, sumsOf } from '#store/game/player-stats.ts';
import type { PlayerAccumulator } from '../player-accumulator.ts';
import type { DataOf } from '../schema.ts';
import { type EventContext, type HandlerResult, observePlayer } from '../unit-of-work.ts';

/**
 * Takes a report: its counters are added, its power and faction hold while no later report is known. What the game
 * itself has counted stays in the ledger and counts nowhere.
 */

export function applyStatistics(context: EventContext, data: DataOf<'player.statistics'>): HandlerResult {
  const { batch, key, time } = context;
  const player = observePlayer(context, data.player);
  if (data.gamemode === 'vanilla') return undefined;
  batch.players.count(player, 'factions', addedBy(data));
  batch.rows.add('faction_reports', [player.key, time, key, data.power, data.faction]);
  return undefined;
}

/** Takes what a report added to the counters out of them. */
export function removeStatistics(accumulator: PlayerAccumulator, data: DataOf<'player.statistics'>): void {
  if (data.gamemode !== 'vanilla')
    accumulator.count(accumulator.known(data.player.uuid)!, 'factions', addedBy(data), -1);
}

const addedBy = ({ kill_count, death_count, time_played }: DataOf<'player.statistics'>): Sums =>
  sumsOf('factions', { kill: kill_count, death: death_count, time: time_played });

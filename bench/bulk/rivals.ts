import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { killChanges } from '#store/game/rivals/kill-pairs.ts';
import { addToRecords, noRecords, type PlayerRecords, saveRecords } from '#store/game/rivals/player-records.ts';
import { type MatchEvent, resultOf } from '../generated-history.ts';

/** Counts who killed whom and the records of players in memory; the projection would update every row many times. */
export class BulkRivals {
  readonly #pairs = killChanges();
  readonly #records = new Map<number, PlayerRecords>();

  /** @param keyOf finds the key of a player of the match */
  count(key: number, { data }: MatchEvent, keyOf: (uuid: string) => number): void {
    for (const team of data.teams) {
      const result = resultOf(data, team);
      for (const player of team.players) {
        const records = this.#records.getOrInsertComputed(keyOf(player.uuid), noRecords);
        addToRecords(records, { ...player, match_key: key, result });
      }
    }
    for (const { killer, victim } of data.kills)
      if (killer !== null && killer !== victim) this.#pairs.add([keyOf(killer), keyOf(victim)], [1]);
  }

  /** Writes the rows, and the projection offset of the last match. */
  async finish(tx: Queryable, lastKey: number): Promise<void> {
    await tx.runAll(this.#pairs.statements());
    await saveRecords(tx, this.#records);
    await tx.run(sql`update projections set last = ${lastKey} where name = 'rivals'`);
  }
}

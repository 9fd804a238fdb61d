import { randomBytes } from 'node:crypto';
import { sql } from '#db/sql.ts';
import { projectMatches } from '#store/game/leaderboards/leaderboard-projection.ts';
import { countRanks } from '#store/game/teampvp-ranks.ts';
import {
  account,
  after,
  application,
  configured,
  event,
  login,
  map,
  match,
  person,
  presence,
  punishment,
} from './builders.ts';
import { rating, rotation, sendEvents, serviceToken, statistics, team } from './builders.ts';
import type { TestAppContext } from './context.ts';

/** Tables that `fillNetwork` fills, among others. */
export const NETWORK_TABLES = [
  'accounts',
  'audit',
  'boards',
  'kills',
  'ledger',
  'maps',
  'pictures',
  'players',
  'private_players',
  'tokens',
];

const YEARS_MS = 100 * 365 * 86_400_000;

/** Rows in most tables: several chunks of players, bytes, fractions, and a counter beyond 2^53. */
export async function fillNetwork(context: TestAppContext): Promise<void> {
  const { db, clock } = context;
  await sendEvents(
    context,
    configured('Alpha'),
    presence('Alpha', { current: 1, players: ['Player1'] }),
    map('Twin Peaks'),
    rotation('Alpha', ['Twin Peaks'], { server: 'Alpha' }),
    ...Array.from({ length: 80 }, (_, number) => login('Alpha', person(number, `Spieler_${number}`))),
    match({
      teams: [team('Red', 1), team('Blue', 2)],
      kills: [{ killer: person(1).uuid, victim: person(2).uuid, time: after(-1000) }],
    }),
    rating('Twin Peaks', person(1), 5),
    punishment('one', person(2), { reason: 'テスト' }),
    statistics(person(3), { faction: 'Foxes', power: 2.25 }),
    event('player.privacy', { player: person(79).uuid, profile: true, online: true, names: false }),
  );
  while (await projectMatches(db, 'UTC', clock.now()));
  while (await countRanks(db));
  await account(context, 'Ann', person(1).uuid);
  const { client_id } = await application(context);
  await serviceToken(context, client_id, YEARS_MS);
  const picture = randomBytes(3_000);
  await db.run(sql`insert into pictures (hash, content_type, bytes) values ('h', 'image/png', ${picture})`);
  await db.run(sql`update map_rates set rate_5 = ${2n ** 53n + 1n}`);
  await db.run(sql`
    insert into audit (id, time, via, actor, actor_key, address, action, subject, label, outcome, detail)
    values ('1', 1, 'command', 'a', 'a', '', 'x.y', '', '', 'done', '{}')`);
}

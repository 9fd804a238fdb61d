import { idOf } from '#platform/ids.ts';
import { Members, type Pages } from '#platform/json-stream.ts';
import type { Account } from '#store/accounts/accounts.ts';
import { sessionsOf } from '#store/accounts/account-sessions.ts';
import { connectedApplications } from '#store/accounts/consents.ts';
import { factsOf } from '#store/game/matches.ts';
import { type Player, playerByUuid } from '#store/game/players.ts';
import { statsOf } from '#store/game/player-stats.ts';
import {
  allActsOf,
  allKillsOf,
  allMatchesOf,
  allNamesOf,
  allPunishmentsOf,
  allRatingsOf,
  allTokensOf,
} from '#store/accounts/export-queries.ts';
import type { Deps } from '../deps.ts';

const moment = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

/** Everything held about an account and the game account linked to it, but what secrets are stored as. */
export async function exportOf({ db, clock }: Deps, account: Account): Promise<Members> {
  const now = clock.now();
  const { created, disabled, ...facts } = account;
  const player = account.player_uuid === null ? undefined : await playerByUuid(db, account.player_uuid);
  const sessions = await sessionsOf(db, account.id, now);
  const applications = await connectedApplications(db, account.id);
  return new Members({
    exported: moment(now),
    account: { ...facts, created: moment(created), disabled: moment(disabled) },
    sessions: sessions.map((session) => ({
      created: moment(session.created),
      seen: moment(session.seen),
      address: session.address,
      user_agent: session.agent,
    })),
    applications: applications.map(({ granted, used, read, ...rest }) => ({
      ...rest,
      granted: moment(granted),
      used: moment(used),
      read: moment(read),
    })),
    tokens: each(allTokensOf(db, account.id), ({ expires, hash: _, ...rest }) => ({
      ...rest,
      expires: moment(expires),
    })),
    acts: each(allActsOf(db, account.id), ({ time, actor_id: _, ...rest }) => ({ time: moment(time), ...rest })),
    player: player === undefined ? null : await playerPart(db, player, now),
  });
}

async function playerPart(db: Deps['db'], player: Player, now: number): Promise<Members> {
  const { key, last_login, last_logout, ...facts } = player;
  return new Members({
    ...facts,
    id: idOf(key),
    last_login: moment(last_login),
    last_logout: moment(last_logout),
    names: each(allNamesOf(db, key), ({ name, first_seen, last_seen }) => ({
      name,
      first_seen: moment(first_seen),
      last_seen: moment(last_seen),
    })),
    statistics: await statsOf(db, key),
    matches: each(allMatchesOf(db, key), ({ head, result, score, kill_count, death_count, started, finished }) => ({
      ...factsOf(head),
      ...{ started: moment(started), finished: moment(finished), result, score, kill_count, death_count },
    })),
    kills: each(allKillsOf(db, key), ({ number: _, ...kill }) => ({
      ...kill,
      match: idOf(kill.match),
      time: moment(kill.time),
    })),
    punishments: each(allPunishmentsOf(db, key, now), ({ key: punishment, punisher: _, ...rest }) => ({
      ...rest,
      id: idOf(punishment),
      time: moment(rest.time),
    })),
    ratings: each(allRatingsOf(db, key), ({ time, map_key: _, ...rest }) => ({ ...rest, time: moment(time) })),
  });
}

async function* each<T>(pages: AsyncIterable<T[]>, show: (row: T) => object): Pages {
  for await (const rows of pages) yield rows.map(show);
}

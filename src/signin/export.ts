import { idOf } from '#base/ids.ts';
import { sql } from '#db/sql.ts';
import type { Account } from '#records/accounts.ts';
import { auditOf } from '#records/audit.ts';
import { sessionsOf } from '#records/account-sessions.ts';
import { connectedApplications } from '#records/consents.ts';
import { factsOf, killsOf, matchesOf } from '#records/matches.ts';
import { listPunishmentsOf } from '#records/punishments.ts';
import { namesOf, type Player, playerByUuid } from '#records/players.ts';
import { statsOf } from '#records/player-stats.ts';
import type { Desk } from './desk.ts';

const EVERYTHING = 1_000_000;
const moment = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

/** Everything held about an account and the game account linked to it, but what secrets are stored as. */
export async function exportOf({ db, clock }: Desk, account: Account): Promise<object> {
  const now = clock.now();
  const { created, disabled, ...facts } = account;
  const player = account.player_uuid === null ? undefined : await playerByUuid(db, account.player_uuid);
  const sessions = await sessionsOf(db, account.id, now);
  const applications = await connectedApplications(db, account.id);
  const tokens = await db.all<{ kind: string; client_id: string | null; expires: number | null }>(
    sql`select kind, client_id, expires from tokens where account_id = ${account.id} order by kind, expires`,
  );
  const acts = await auditOf(db, account.id);
  return {
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
    tokens: tokens.map(({ expires, ...rest }) => ({ ...rest, expires: moment(expires) })),
    acts: acts.map(({ time, actor_id: _, ...rest }) => ({ time: moment(time), ...rest })),
    player: player === undefined ? null : await playerPart(db, player, now),
  };
}

async function playerPart(db: Desk['db'], player: Player, now: number): Promise<object> {
  const { key, last_login, last_logout, ...facts } = player;
  const [names, statistics, matches, kills, punishments, ratings] = [
    await namesOf(db, key),
    await statsOf(db, key),
    await matchesOf(db, key, EVERYTHING),
    await killsOf(db, key, EVERYTHING),
    await listPunishmentsOf(db, key, Number.MAX_SAFE_INTEGER, EVERYTHING, now),
    await db.all<{ map: string; version: string; rate: number; time: number }>(sql`
      select m.name as map, v.version, v.rate, v.time from map_votes v join maps m on m.key = v.map_key
      where v.player_key = ${key} order by v.time`),
  ];
  return {
    ...facts,
    id: idOf(key),
    last_login: moment(last_login),
    last_logout: moment(last_logout),
    names: names.map(({ name, first_seen, last_seen }) => ({
      name,
      first_seen: moment(first_seen),
      last_seen: moment(last_seen),
    })),
    statistics,
    matches: matches.map(({ head, key: _, ...match }) => ({
      ...factsOf(head),
      ...match,
      started: moment(match.started),
      finished: moment(match.finished),
    })),
    kills: kills.map((kill) => ({ ...kill, match: idOf(kill.match), time: moment(kill.time) })),
    punishments: punishments.map(({ key: punishment, punisher: _, ...rest }) => ({
      ...rest,
      id: idOf(punishment),
      time: moment(rest.time),
    })),
    ratings: ratings.map(({ time, ...rest }) => ({ ...rest, time: moment(time) })),
  };
}

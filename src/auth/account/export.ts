import { idOf } from '#platform/ids.ts';
import { Members, type Pages } from '#platform/streams/json-stream.ts';
import type { Account } from '#store/accounts/accounts.ts';
import { sessionsOf } from '#store/accounts/account-sessions.ts';
import { factorsOf } from '#store/accounts/factors.ts';
import type { Totp } from '#store/accounts/totp.ts';
import { connectedApplications } from '#store/accounts/consents.ts';
import type { Death } from '#store/game/kills.ts';
import { factsOf } from '#store/game/matches.ts';
import { type Player, playerByUuid } from '#store/game/players.ts';
import type { Punishment } from '#store/game/punishments.ts';
import { listCounters } from '#store/game/counters/counters.ts';
import { playerCounters } from '#store/game/counters/player-counters.ts';
import { statsOf } from '#store/game/player-stats.ts';
import {
  allActs,
  allDeaths,
  allKills,
  allMatches,
  allNames,
  allPunishments,
  allRatings,
  allTokens,
} from '#store/accounts/export-queries.ts';
import type { Deps } from '../deps.ts';

const isoTime = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

/** All data about an account and its linked game account, except the hashes of secrets. Lists are read while they are sent. */
export async function accountExport({ db, clock }: Deps, account: Account): Promise<Members> {
  const now = clock.now();
  const { created, disabled, ...facts } = account;
  const player = account.player_uuid === null ? undefined : await playerByUuid(db, account.player_uuid);
  const sessions = await sessionsOf(db, account.id, now);
  const applications = await connectedApplications(db, account.id);
  const { passkeys, totp, recovery_codes } = await factorsOf(db, account.id);
  return new Members({
    exported: isoTime(now),
    account: { ...facts, created: isoTime(created), disabled: isoTime(disabled) },
    sessions: sessions.map((session) => ({
      created: isoTime(session.created),
      seen: isoTime(session.seen),
      address: session.address,
      user_agent: session.agent,
    })),
    factors: {
      passkeys: passkeys.map(({ account_id: _, ...passkey }) => ({ ...passkey, ...useTimes(passkey) })),
      authenticator_app: totp === undefined ? null : useTimes(totp),
      recovery_codes,
    },
    applications: applications.map(({ granted, used, read, ...rest }) => ({
      ...rest,
      granted: isoTime(granted),
      used: isoTime(used),
      read: isoTime(read),
    })),
    tokens: mapPages(allTokens(db, account.id), ({ expires, hash: _, ...rest }) => ({
      ...rest,
      expires: isoTime(expires),
    })),
    acts: mapPages(allActs(db, account.id), ({ time, actor_id: _, ...rest }) => ({ time: isoTime(time), ...rest })),
    player: player === undefined ? null : await playerExport(db, player, now),
  });
}

const useTimes = ({ created, last_used }: Totp) => ({ created: isoTime(created), last_used: isoTime(last_used) });

async function playerExport(db: Deps['db'], player: Player, now: number): Promise<Members> {
  const { key, last_login, last_logout, ...facts } = player;
  return new Members({
    ...facts,
    id: idOf(key),
    last_login: isoTime(last_login),
    last_logout: isoTime(last_logout),
    names: mapPages(allNames(db, key), ({ name, first_seen, last_seen }) => ({
      name,
      first_seen: isoTime(first_seen),
      last_seen: isoTime(last_seen),
    })),
    statistics: await statsOf(db, key),
    counters: Object.fromEntries(await playerCounters(db, await listCounters(db), key)),
    matches: mapPages(allMatches(db, key), ({ head, result, score, kill_count, death_count, started, finished }) => ({
      ...factsOf(head),
      started: isoTime(started),
      finished: isoTime(finished),
      result,
      score,
      kill_count,
      death_count,
    })),
    kills: mapPages(allKills(db, key), killFacts),
    deaths: mapPages(allDeaths(db, key), killFacts),
    punishments: mapPages(allPunishments(db, key, now), punishmentExport),
    ratings: mapPages(allRatings(db, key), ({ time, map_key: _, ...rest }) => ({ ...rest, time: isoTime(time) })),
  });
}

const killFacts = ({ number: _, ...kill }: Death): object => ({
  ...kill,
  match: idOf(kill.match),
  time: isoTime(kill.time),
});

/** Without the people who issued and revoked the punishment, whose data it is too. */
function punishmentExport({ key, punisher: _p, changed: _c, revocation, ...rest }: Punishment): object {
  const revoked = revocation && { time: isoTime(revocation.time), reason: revocation.reason };
  return { ...rest, id: idOf(key), time: isoTime(rest.time), revocation: revoked };
}

async function* mapPages<T>(pages: AsyncIterable<T[]>, show: (row: T) => object): Pages {
  for await (const rows of pages) yield rows.map(show);
}

import { uuidOf } from '#text/text.ts';
import { accountById } from '#store/accounts/accounts.ts';
import { deletedPlayer, strippedPunishment } from '#store/accounts/deleted-players.ts';
import type { Player } from '#store/game/players.ts';
import type { Audience } from '#store/game/private-players.ts';
import { type Punishment, punishmentsInForce } from '#store/game/punishments.ts';
import type { Deps, EndpointContext } from './endpoint.ts';

/**
 * The check for bans at a join, for the UUID of a game account whose owner deleted the account. Game servers and staff read
 * which punishments are in force, without anything that leads from the UUID to the pseudonym.
 */

/** A player with nothing but the UUID that the request names. No player has the key 0. */
export const strippedPlayer = (uuid: string): Player => ({
  ...{ key: 0, uuid, name: '', last_login: null, last_login_server: '', last_logout: null },
});

/** A request about the player that `:id` names. */
export type PlayerRequest = Pick<EndpointContext, 'deps' | 'caller' | 'id'>;

/** A deleted player by the UUID of a request. */
export interface DeletedPlayer {
  /** As the request names it. */
  uuid: string;
  punishments: Punishment[];
}

/** @returns undefined if no punishment is in force, and for all other callers, without a look-up of the UUID */
export async function findDeleted({ deps, caller, id }: PlayerRequest): Promise<DeletedPlayer | undefined> {
  const uuid = uuidOf(id);
  return uuid === undefined ? undefined : (await findAllDeleted({ deps, caller }, [uuid])).get(uuid);
}

/** Like `findDeleted`, for several UUIDs. */
export async function findAllDeleted(
  { deps, caller }: Omit<PlayerRequest, 'id'>,
  uuids: readonly string[],
): Promise<ReadonlyMap<string, DeletedPlayer>> {
  if (uuids.length === 0 || (await audienceOf({ deps, caller })) === 'public') return new Map();
  const found = await Promise.all(uuids.map((uuid) => deletedByUuid(deps, uuid)));
  return new Map(found.flatMap((player) => (player === undefined ? [] : [[player.uuid, player]])));
}

async function deletedByUuid(deps: Deps, uuid: string): Promise<DeletedPlayer | undefined> {
  const player = await deletedPlayer(deps.db, uuid);
  if (player === undefined) return undefined;
  const punishments = await punishmentsInForce(deps.db, player.key, deps.clock.now());
  return punishments.length === 0
    ? undefined
    : { uuid, punishments: punishments.map((one) => strippedPunishment(one, uuid)) };
}

/** Game servers and staff check bans of deleted players, and see what is private. */
export async function audienceOf({ deps, caller }: Omit<PlayerRequest, 'id'>): Promise<Audience> {
  if (caller.kind === 'server') return 'insiders';
  if (caller.kind !== 'user') return 'public';
  const account = await accountById(deps.db, caller.accountId);
  return account !== undefined && account.role !== 'user' ? 'insiders' : 'public';
}

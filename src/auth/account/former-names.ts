import type { Account } from '#store/accounts/accounts.ts';
import { namesOf, playerByUuid } from '#store/game/players.ts';
import type { Texts } from '#auth/texts/index.ts';
import type { Deps } from '../deps.ts';

/** The sentence about the former names of the linked game account, on the page that removes one. */
export async function listFormerNames(
  { former_name: t }: Texts,
  { player_uuid }: Account,
  { db }: Pick<Deps, 'db'>,
): Promise<string[]> {
  const player = player_uuid === null ? undefined : await playerByUuid(db, player_uuid);
  const names = player === undefined ? [] : (await namesOf(db, player.key)).filter(({ name }) => name !== player.name);
  return [names.length === 0 ? t.none : t.list(names.map(({ name }) => name).join(', '))];
}

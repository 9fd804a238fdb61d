import { z } from 'zod';
import { changeNetwork, hiddenPlayers } from '#admin/network.ts';
import { UsageError } from '#platform/errors.ts';
import { hiddenOn, NETWORK } from '#store/game/hidden-lists.ts';
import type { AppContext } from '#context/context.ts';
import { noteErased } from '../command/hidden-players.ts';
import { type Change, differencesOf } from './change.ts';
import { performOrThrow } from '../command/operation-command.ts';

export const hiddenList = z.array(z.string());

/** @throws UsageError that names the place */
export function readHidden(place: string, list: readonly string[]): string[] {
  const divided = list.find((entry) => /[,\r\n]/.test(entry));
  if (divided !== undefined)
    throw new UsageError(`${place} must have one name or UUID an entry (one is "${divided}").`);
  const { data, error } = hiddenPlayers.safeParse(list.join('\n'));
  if (error === undefined) return data;
  throw new UsageError(`${place} ${error.issues[0]!.message}.`);
}

const network = z.strictObject({ hidden: hiddenList });

/** @throws UsageError that says what is wrong with the entry */
export function readNetwork(path: string, entry: unknown): { hidden: string[] } {
  const { data, error } = network.safeParse(entry);
  if (error !== undefined) throw new UsageError(`${path}: network must have the member hidden alone, a list of texts.`);
  return { hidden: readHidden(`${path}: network.hidden`, data.hidden) };
}

export async function networkChange({ db }: AppContext, wanted: { hidden: string[] }): Promise<Change> {
  const changes = differencesOf({ hidden: await hiddenOn(db, NETWORK) }, wanted);
  return {
    kind: 'network',
    name: 'network',
    changes,
    apply: async (context) => {
      await performOrThrow(changeNetwork, context, undefined, wanted);
      await noteErased(context.db, wanted.hidden);
    },
  };
}

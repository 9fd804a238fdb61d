import { InputError } from './finding.ts';
import { didYouMean } from '../text/suggestion.ts';
import { nameKey } from '../text/text.ts';
import type { NetworkLookup } from './core.ts';

/** The server that the operator chose for an import, and whether the import may add servers to the network. */
export interface ServerChoice {
  server?: string | undefined;
  create?: boolean;
}

/** The problem of an unknown server, if the operator did not ask for new ones. */
export async function serverProblem(
  name: string,
  network: NetworkLookup,
  { create = false }: ServerChoice,
): Promise<string | undefined> {
  const names = await network.serverNames();
  if (create || names.some((known) => nameKey(known) === nameKey(name))) return undefined;
  return `there is no server "${name}".${didYouMean(name, names)} Use --server NAME for a known server, or --create for a new one`;
}

/** @throws InputError if `--server` names an unknown server */
export async function checkServerChoice(network: NetworkLookup, choice: ServerChoice): Promise<void> {
  if (choice.server === undefined) return;
  const problem = await serverProblem(choice.server, network, choice);
  if (problem !== undefined) throw new InputError(`${problem[0]!.toUpperCase()}${problem.slice(1)}.`);
}

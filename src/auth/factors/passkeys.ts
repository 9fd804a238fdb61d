import { type Account, accountById } from '#store/accounts/accounts.ts';
import type { Deps } from '../deps.ts';
import { sendAlert } from '../mails.ts';
import { type UsedPasskey, verifyPasskey } from './ceremonies.ts';
import type { Purpose } from './challenges.ts';

/** Verifies the answer of a passkey of this account. */
export async function verifyOwnPasskey(
  deps: Deps,
  purpose: Purpose,
  { id }: Pick<Account, 'id'>,
  credential: string,
): Promise<UsedPasskey | undefined> {
  const used = await verifyAnyPasskey(deps, purpose, credential);
  return used?.passkey.account_id === id ? used : undefined;
}

/** Verifies the answer of a passkey. A copied one is refused, and its owner gets a mail. */
export async function verifyAnyPasskey(
  deps: Deps,
  purpose: Purpose,
  credential: string,
): Promise<UsedPasskey | undefined> {
  const result = await verifyPasskey(deps, purpose, credential);
  if (result === undefined || 'passkey' in result) return result;
  const { cloned } = result;
  const owner = await accountById(deps.db, cloned.account_id);
  if (owner !== undefined)
    sendAlert(deps, owner, (texts) => [texts.passkey_cloned_subject, texts.passkey_cloned(cloned.name)]);
  return undefined;
}

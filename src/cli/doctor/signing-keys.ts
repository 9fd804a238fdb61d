import { PUBLISHED_AHEAD_MS, publishedKeys, signingKeys } from '#store/accounts/signing-keys.ts';
import { type Finding, type Installation, ok, warning } from './finding.ts';

const CHECK = 'signing keys';
const DAY_MS = 86_400_000;
/** With `SIGNING_KEY_LIFETIME=0`, the age from which a key counts as old. */
const OLD_MS = 365 * DAY_MS;

/** Checks the age of the key that signs ID tokens. */
export async function checkSigningKeys({ db, config, now }: Installation): Promise<Finding[]> {
  if (db === undefined) return [];
  const keys = await signingKeys(db);
  if (keys.length === 0) return [];
  const { kid, created } = publishedKeys(keys, now)[0]!;
  const lifetime = config.SIGNING_KEY_LIFETIME * 1000;
  const age = `The key that signs ID tokens (${kid}) is ${Math.floor((now - created) / DAY_MS)} days old`;
  if (lifetime === 0)
    return [now - created < OLD_MS ? ok(CHECK, `${age}.`) : warning(CHECK, `${age}.`, 'scorehall signing-key rotate')];
  // Its successor signs when it has been published long enough; a day is for processes that were stopped.
  if (now - created < lifetime + PUBLISHED_AHEAD_MS + DAY_MS) return [ok(CHECK, `${age}.`)];
  const remedy = 'Start the service, or look for "background job failed" in its log; scorehall signing-key rotate.';
  return [warning(CHECK, `${age}, and SIGNING_KEY_LIFETIME has not replaced it.`, remedy)];
}

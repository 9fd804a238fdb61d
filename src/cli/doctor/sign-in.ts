import { dataFolder } from '#platform/config/config.ts';
import { staffNeedsFactor } from '#platform/config/plain-http.ts';
import { breachedPasswordsFile, countBreached } from '#platform/crypto/breached-passwords.ts';
import { factorCodeCommand, operatorCommand } from '#context/command-name.ts';
import { hasOperator } from '#store/accounts/accounts.ts';
import { PUBLISHED_AHEAD_MS, publishedKeys, signingKeys } from '#store/accounts/signing-keys.ts';
import { staffWithoutFactor } from '#store/accounts/factors.ts';
import { type Found, type Installation, ok, type OpenInstallation, problem, reasonOf, warning } from './finding.ts';

const FACTOR = 'second factor';
const KEYS = 'signing keys';
const PASSWORDS = 'passwords';
const DAY_MS = 86_400_000;
/** With `SIGNING_KEY_LIFETIME=0`, the age from which a key counts as old. */
const OLD_MS = 365 * DAY_MS;

export async function checkOperator({ db }: OpenInstallation): Promise<Found> {
  if (await hasOperator(db)) return [];
  return warning(
    'operator',
    'There is no operator yet: nobody can use the console as one.',
    `Make the account: ${operatorCommand()}`,
  );
}

/** Names the members of staff to whom the console is closed, because they have no second factor. */
export async function checkStaff({ config, db }: OpenInstallation): Promise<Found> {
  if (!staffNeedsFactor(config)) {
    if (config.OPERATOR_SECOND_FACTOR === '') return [];
    return warning(
      FACTOR,
      'Operators and moderators need a password only.',
      'Remove OPERATOR_SECOND_FACTOR=optional, so that a stolen password does not open the console.',
    );
  }
  const staff = await staffWithoutFactor(db);
  if (staff.length === 0) return ok(FACTOR, 'Every operator and moderator has one.');
  return staff.map(({ name, role }) =>
    warning(
      FACTOR,
      `${name} (${role}) has none: the console is closed to this account.`,
      `Make a code, which ${name} enters on the account page: ${factorCodeCommand(name)}`,
    ),
  );
}

export async function checkSigningKeys({ db, config, now }: OpenInstallation): Promise<Found> {
  const keys = await signingKeys(db);
  if (keys.length === 0) return [];
  const { kid, created } = publishedKeys(keys, now)[0]!;
  const lifetime = config.SIGNING_KEY_LIFETIME * 1000;
  const age = `The key that signs ID tokens (${kid}) is ${Math.floor((now - created) / DAY_MS)} days old`;
  if (lifetime === 0)
    return now - created < OLD_MS ? ok(KEYS, `${age}.`) : warning(KEYS, `${age}.`, 'scorehall signing-key rotate');
  // Its successor signs when it has been published long enough; a day is for processes that were stopped.
  if (now - created < lifetime + PUBLISHED_AHEAD_MS + DAY_MS) return ok(KEYS, `${age}.`);
  const remedy = 'Start the service, or look for "background job failed" in its log; scorehall signing-key rotate.';
  return warning(KEYS, `${age}, and SIGNING_KEY_LIFETIME has not replaced it.`, remedy);
}

/** Checks the list of breached passwords of this machine. An installation needs none. */
export async function checkPasswords({ config }: Installation): Promise<Found> {
  const folder = dataFolder(config);
  try {
    const count = await countBreached(folder);
    if (count !== undefined)
      return ok(PASSWORDS, `The list of breached passwords has ${count.toLocaleString('en-GB')}.`);
    return ok(PASSWORDS, 'There is no list of breached passwords; the 3,000 commonest are refused.');
  } catch (error) {
    const sentence = `The list of breached passwords ${breachedPasswordsFile(folder)} cannot be used: ${reasonOf(error)}.`;
    return problem(PASSWORDS, sentence, 'scorehall passwords import FILE, as the user of the service.');
  }
}

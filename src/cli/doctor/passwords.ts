import { dataFolder } from '#platform/config/config.ts';
import { breachedPasswordsFile, countBreached } from '#platform/crypto/breached-passwords.ts';
import { type Finding, type Installation, ok, problem, reasonOf } from './finding.ts';

const CHECK = 'passwords';

/** Checks the list of breached passwords of this machine. An installation needs none. */
export async function checkPasswords({ config }: Installation): Promise<Finding[]> {
  const folder = dataFolder(config);
  try {
    const count = await countBreached(folder);
    if (count !== undefined) return [ok(CHECK, `The list of breached passwords has ${count.toLocaleString('en-GB')}.`)];
    return [ok(CHECK, 'There is no list of breached passwords; the 3,000 commonest are refused.')];
  } catch (error) {
    const sentence = `The list of breached passwords ${breachedPasswordsFile(folder)} cannot be used: ${reasonOf(error)}.`;
    return [problem(CHECK, sentence, 'scorehall passwords import FILE, as the user of the service.')];
  }
}

import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';

/** Argon2id with the parameters of OWASP's Password Storage Cheat Sheet: 19 MiB, two passes, one lane. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 };
const TAG_BYTES = 32;
const SALT_BYTES = 16;

export const MIN_PASSWORD = 10;
export const MAX_PASSWORD = 256;

const derive = promisify(argon2);
/** Checked if the account does not exist, so that the check takes the same time. */
const DUMMY_HASH = `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${'A'.repeat(22)}$${'A'.repeat(43)}`;

/**
 * Hashes a password for storage.
 * @returns a PHC string of Argon2id
 */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(SALT_BYTES);
  const tag = await argon2Tag(password, nonce, COST, TAG_BYTES);
  return `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${unpadded(nonce)}$${unpadded(tag)}`;
}

/**
 * Compares a password with its stored hash. Without a stored hash it returns false after the same time, so that the
 * duration does not reveal which accounts exist.
 */
export async function passwordMatches(password: string, stored: string | undefined): Promise<boolean> {
  const [, , , cost, salt, tag] = (stored ?? DUMMY_HASH).split('$') as [string, string, string, string, string, string];
  const [memory = 0, passes = 0, parallelism = 0] = cost.split(',').map((part) => Number(part.slice(2)));
  const expected = Buffer.from(tag, 'base64');
  const nonce = Buffer.from(salt, 'base64');
  const actual = await argon2Tag(password, nonce, { memory, passes, parallelism }, expected.length);
  return timingSafeEqual(actual, expected) && stored !== undefined;
}

/** What is wrong with a new password. `easy`: made up of the name of person or network, or of few characters. */
export type PasswordProblem = 'short' | 'long' | 'easy' | 'common';

/**
 * Checks a new password: its length, and that it is not easy to guess. There are no rules about kinds of characters,
 * as NIST SP 800-63B advises.
 * @param personal words about the person and the network (name, address) that must not make up the password
 * @returns what is wrong, or undefined
 */
export function passwordProblem(password: string, ...personal: string[]): PasswordProblem | undefined {
  if (password.length > MAX_PASSWORD) return 'long';
  if (password.length < MIN_PASSWORD) return 'short';
  const plain = nfcLower(password);
  const isPersonal = personal.some((word) => repeats(plain, nfcLower(word)));
  const beginsCommonly = /^(0?123456789|qwertyuiop|password)/.test(plain);
  if (isPersonal || beginsCommonly || new Set(plain).size < 5) return 'easy';
  return commonPasswords().has(plain) ? 'common' : undefined;
}

/**
 * Letters without a word, with a blank in its place, so that those before and after it do not become another word. A word of one
 * letter is in many others, so that one of it goes.
 */
const without = (letters: string, word: string): string =>
  word.length > 1 ? letters.replaceAll(word, ' ') : letters.replace(word || ' ', ' ');

/** Whether a password is a text with few other characters, or its words in any order with blanks, digits and signs only. */
function repeats(password: string, text: string): boolean {
  const letters = lettersOf(password);
  if (text.length >= 3 && password.replaceAll(text, '').length < 6) return true;
  if (letters === '' || lettersOf(text).length < 3) return false;
  const words = [lettersOf(text), ...text.split(/[^\p{L}\p{M}]+/u)].toSorted((one, other) => other.length - one.length);
  return words.reduce(without, letters).trim() === '';
}

const lettersOf = (text: string): string => text.replaceAll(/[^\p{L}\p{M}]/gu, '');

const nfcLower = (text: string): string => text.normalize('NFC').toLowerCase();

/** The commonest passwords, one a line, in lower case; scripts/common-passwords.ts writes it. */
export const COMMON_PASSWORDS_FILE = new URL('./common-passwords.txt', import.meta.url);

let common: ReadonlySet<string> | undefined;

/** Read at the first new password, because few processes need it. */
function commonPasswords(): ReadonlySet<string> {
  common ??= new Set(
    readFileSync(COMMON_PASSWORDS_FILE, 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#')),
  );
  return common;
}

async function argon2Tag(password: string, nonce: Buffer, cost: typeof COST, tagLength: number): Promise<Buffer> {
  return await derive('argon2id', { message: password.normalize('NFC'), nonce, tagLength, ...cost });
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}

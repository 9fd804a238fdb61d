import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { Unavailable } from '../errors.ts';

/** Argon2id as OWASP's password storage advice has it: 19 MiB, two passes, one lane. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 };
const TAG_BYTES = 32;
const SALT_BYTES = 16;

/** Hashing takes a thread and 19 MiB each: so many at once, so many may wait, the rest is told to come back. */
const BATCH_SIZE = 2;
const MAX_WAITING = 200;

export const MIN_PASSWORD = 10;
export const MAX_PASSWORD = 256;

const derive = promisify(argon2);
const NOBODY = `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${'A'.repeat(22)}$${'A'.repeat(43)}`;

/** What is stored of a password: Argon2id as a PHC string. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(SALT_BYTES);
  const tag = await inTurn(() => tagOf(password, nonce, COST, TAG_BYTES));
  return `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${unpadded(nonce)}$${unpadded(tag)}`;
}

/** Whether the password is the stored one. Where nothing is stored it takes the same time and says no. */
export async function passwordMatches(password: string, stored: string | undefined): Promise<boolean> {
  const [, , , cost, salt, tag] = (stored ?? NOBODY).split('$') as [string, string, string, string, string, string];
  const [memory, passes, parallelism] = cost.split(',').map((part) => Number(part.slice(2))) as [
    number,
    number,
    number,
  ];
  const expected = Buffer.from(tag, 'base64');
  const nonce = Buffer.from(salt, 'base64');
  const actual = await inTurn(() => tagOf(password, nonce, { memory, passes, parallelism }, expected.length));
  return timingSafeEqual(actual, expected) && stored !== undefined;
}

/** What is wrong with a password that somebody chooses. Length is what counts; nothing is asked of its characters. */
export function passwordProblem(password: string, ...known: string[]): 'short' | 'long' | 'easy' | undefined {
  if (password.length > MAX_PASSWORD) return 'long';
  if (password.length < MIN_PASSWORD) return 'short';
  const plain = password.toLowerCase();
  const received = known.some((word) => word.length >= 3 && plain.replaceAll(word.toLowerCase(), '').length < 6);
  return received || new Set(plain).size < 5 || /^(0?123456789|qwertyuiop|password)/.test(plain) ? 'easy' : undefined;
}

async function tagOf(password: string, nonce: Buffer, cost: typeof COST, tagLength: number): Promise<Buffer> {
  return await derive('argon2id', { message: password.normalize('NFC'), nonce, tagLength, ...cost });
}

let running = 0;
const waiting: (() => void)[] = [];

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= BATCH_SIZE) await queued();
  else running++;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next === undefined) running--;
    else next();
  }
}

async function queued(): Promise<void> {
  if (waiting.length >= MAX_WAITING) throw new Unavailable(new Error('Too many passwords are being checked'));
  const { promise, resolve } = Promise.withResolvers<void>();
  waiting.push(resolve);
  await promise;
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}

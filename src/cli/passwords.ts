import { mkdir, open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { dataFolder } from '#platform/config/config.ts';
import { breachedPasswordsFile } from '#platform/crypto/breached-passwords.ts';
import { importBreachedPasswords } from '#platform/crypto/breached-passwords-import.ts';
import { UsageError } from '#platform/errors.ts';
import { errorOutput } from '#platform/process/output.ts';
import { type Command, type Input, JSON_OPTION } from './command/command.ts';
import { readSettings } from './command/settings.ts';

const CHUNK_BYTES = 1024 ** 2;
const REPORTED_BYTES = 5_000_000_000;

export const commands: Command[] = [
  {
    words: 'passwords import',
    summary:
      'Refuse new passwords of a list of breached ones: sorted SHA-1 hashes (Pwned Passwords) or plain text, one a line; replaces the former list',
    operands: 'FILE|-',
    options: { json: JSON_OPTION },
    run: importList,
  },
];

/** Needs no database: the list is a file in the data folder, of each machine that serves sign-in. */
async function importList(input: Input): Promise<void> {
  const [path, ...more] = input.positionals;
  if (path === undefined || more.length > 0) throw new UsageError('Name one file, or - for standard input.');
  const folder = dataFolder(readSettings());
  try {
    await mkdir(folder, { recursive: true });
    const source = path === '-' ? process.stdin : (await open(path)).createReadStream({ highWaterMark: CHUNK_BYTES });
    const list = await importBreachedPasswords(source, folder, progress());
    input.print({ ...list, file: resolve(breachedPasswordsFile(folder)) });
  } catch (error) {
    const { code, syscall, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    if (code === 'ENOSPC')
      throw new UsageError(`The disk of ${folder} is full: the import needs 4 bytes for each password.`);
    const isSource = message.includes(`'${path}'`) || syscall === 'read';
    throw new UsageError(isSource ? `${path} cannot be read: ${message}.` : `The list cannot be written: ${message}.`);
  }
}

/** Says on stderr how far a big list is. */
function progress(): (bytes: number) => void {
  let next = REPORTED_BYTES;
  return (bytes) => {
    if (bytes < next) return;
    errorOutput().write(`Read ${Math.floor(bytes / 1e9)} GB.\n`);
    next += REPORTED_BYTES;
  };
}

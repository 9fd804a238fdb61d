import { readFileSync } from 'node:fs';
import { UsageError } from '../errors.ts';
import type { Environment } from './setting.ts';

/** A secret is one line; for a larger file the path is wrong. */
const MAX_LENGTH = 16 * 1024;

/**
 * Replaces `NAME_FILE` with `NAME`, whose value is the content of the file without line breaks at its end. Secret
 * stores of containers and systemd provide secrets as files; unlike a variable, a file is not visible in the list of
 * processes.
 * @param names the settings that may come from a file
 * @throws UsageError if both are set, or the file cannot be read or is empty
 */
export function withSecretFiles(variables: Environment, names: readonly string[]): Environment {
  const found = names.filter((name) => (variables[`${name}_FILE`] ?? '') !== '');
  const values = found.map((name) => [name, readSecret(variables, name)] as const);
  return { ...variables, ...Object.fromEntries(values) };
}

function readSecret(variables: Environment, name: string): string {
  const file = variables[`${name}_FILE`]!;
  if ((variables[name] ?? '') !== '') throw new UsageError(`Set ${name} or ${name}_FILE, not both.`);
  const text = read(`${name}_FILE`, file).replace(/[\r\n]+$/, '');
  if (text === '') throw new UsageError(`${name}_FILE must name a file with the value of ${name} (${file} is empty).`);
  if (text.length > MAX_LENGTH || /[\r\n]/.test(text))
    throw new UsageError(`${name}_FILE must name a file with one line, the value of ${name} (${file} has more).`);
  return text;
}

function read(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const reason = REASONS[(error as NodeJS.ErrnoException).code ?? ''] ?? (error as Error).message;
    throw new UsageError(`${name} must name a file that this user can read (${file}: ${reason}).`);
  }
}

const REASONS: Record<string, string> = {
  ENOENT: 'there is no such file',
  EACCES: 'this user may not read it',
  EISDIR: 'it is a folder',
};

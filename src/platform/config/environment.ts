import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import { didYouMean, nearest } from '#text/suggestion.ts';
import { UsageError } from '../errors.ts';
import { errorOutput } from '../process/output.ts';
import { settingNames, SETTINGS } from './config.ts';
import { type Environment, type Setting, sqliteFileOf } from './setting.ts';

/**
 * The environment of a command. Real variables override `.env` of the working directory, which overrides `settings.env`
 * in the folder of the SQLite file, with PostgreSQL in DATA_FOLDER: the settings of a demo. `warn` receives a sentence for each variable that is
 * probably a misspelled setting. `NAME_FILE` of a secret setting counts as `NAME`.
 * @throws UsageError for an ambiguous line of a file, or a `NAME_FILE` that cannot be read
 */
export function environment(actual: Environment = process.env, folder = process.cwd(), warn = toStderr): Environment {
  const inFiles = settingNames().filter((name) => (SETTINGS[name] as Setting).inFile);
  const names = [...settingNames(), ...inFiles.map((name) => `${name}_FILE`)];
  warnOfTypos(actual, names, warn);
  const merged = {
    ...withSecretFiles(readEnvFile(join(folder, '.env'), names, warn), inFiles),
    ...withSecretFiles(actual, inFiles),
  };
  const database = merged['DATABASE_URL'];
  const file = database === undefined ? undefined : sqliteFileOf(database);
  const demoFolder = file === undefined ? merged['DATA_FOLDER'] : dirname(file);
  if (!database || !demoFolder) return merged;
  return { ...readEnvFile(join(demoFolder, 'settings.env'), names, warn), ...merged };
}

const toStderr: Warn = (sentence) => void errorOutput().write(`scorehall: ${sentence}\n`);

/** Reports a line of the environment that is ignored. */
type Warn = (sentence: string) => void;

/**
 * Reads an env file; empty if there is none. Reports variables that are no settings.
 * @throws UsageError for a misspelled setting, or a value that ends at a # because it has no quotes
 */
function readEnvFile(path: string, settings: readonly string[], warn: Warn): Environment {
  if (!existsSync(path)) return {};
  const content = readFileSync(path, 'utf8');
  const values = parseEnv(content);
  const lines = content.split(/\r\n|\n|\r/);
  for (const name of Object.keys(values)) {
    const line = lines.findLastIndex((text) => parseAssignment(text)?.name === name);
    const place = line < 0 ? path : `${path}, line ${line + 1}`;
    if (settings.includes(name)) checkQuotes(place, parseAssignment(lines[line] ?? ''), values[name] ?? '');
    else if (nearest(name, settings, MAX_TYPOS) !== undefined)
      throw new UsageError(`${place}: there is no setting ${name}.${didYouMean(name, settings, MAX_TYPOS)}`);
    else warn(`${place}: ${name} is no setting of Scorehall and is ignored; scorehall config lists all settings.`);
  }
  return values;
}

/** Reports variables of the process that are probably misspelled settings. Others belong to other programs. */
function warnOfTypos(environment: Environment, settings: readonly string[], warn: Warn): void {
  for (const name of Object.keys(environment)) {
    if (settings.includes(name) || nearest(name, settings, MAX_TYPOS) === undefined) continue;
    warn(`The variable ${name} is no setting and is ignored.${didYouMean(name, settings, MAX_TYPOS)}`);
  }
}

/** Any two settings differ in more characters than this, and most settings of other programs do. */
const MAX_TYPOS = 2;

interface Assignment {
  name: string;
  raw: string;
}

function parseAssignment(line: string): Assignment | undefined {
  const [, name, raw] = /^\s*(?:export\s+)?([\w.-]+)\s*=(.*)$/.exec(line) ?? [];
  return name === undefined ? undefined : { name, raw: raw! };
}

/** Without quotes a # begins a comment. If no space precedes it, it was probably meant as part of the value. */
function checkQuotes(place: string, assignment: Assignment | undefined, value: string): void {
  const raw = assignment?.raw ?? '';
  const mark = raw.indexOf('#');
  if (mark < 0 || /^\s*["'`]/.test(raw) || /\s/.test(raw[mark - 1] ?? '')) return;
  const shown = value === '' ? 'is empty' : 'is cut off';
  throw new UsageError(
    `${place}: ${assignment!.name} ${shown}, because # begins a comment; write the value in quotes: ${assignment!.name}="…#…".`,
  );
}

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

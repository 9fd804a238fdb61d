import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { UsageError } from '../errors.ts';
import { didYouMean, nearest } from '#text/suggestion.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Reports a line of the environment that is ignored. */
export type Warn = (sentence: string) => void;

/**
 * Reads an env file; empty if there is none. Reports variables that are no settings.
 * @throws UsageError for a misspelled setting, or a value that ends at a # because it has no quotes
 */
export function readEnvFile(path: string, settings: readonly string[], warn: Warn): Environment {
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
export function warnOfTypos(environment: Environment, settings: readonly string[], warn: Warn): void {
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

// Finds names of a private vocabulary (names.json) in identifiers and file names, and says what to write instead.

import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { tokensOf } from './tokens.ts';

type Replacements = Readonly<Record<string, string>>;
type Names = Readonly<Record<'words' | 'phrases' | 'identifiers' | 'files', Replacements>>;

interface Refused {
  part: string;
  write: string;
}

/**
 * names.json holds what to write instead of: `words` and `phrases` wherever they stand in a name, singular or plural;
 * `identifiers` and `files` (without ending) only as the whole name, because they are also ordinary terms.
 */
const NAMES = JSON.parse(readFileSync(new URL('names.json', import.meta.url), 'utf8')) as Names;

/** `openIngestService`, `OPEN_DOOR` and `open-door` are the words open and door. */
export const wordsOf = (name: string): string[] =>
  (name.match(/\p{Lu}?\p{Ll}+|\p{Lu}+(?!\p{Ll})/gu) ?? []).map((word) => word.toLowerCase());

/** Of an identifier: the part that is refused and what to write instead. */
export function refusedIdentifier(name: string, names = NAMES): Refused | undefined {
  if (Object.hasOwn(names.identifiers, name)) return { part: name, write: names.identifiers[name]! };
  return refusedWords(wordsOf(name), names);
}

/** The same of a file's path, of which every folder counts. */
export function refusedPath(path: string, names = NAMES): Refused | undefined {
  const file = basename(path).replace(/\..*$/, '');
  if (Object.hasOwn(names.files, file)) return { part: file, write: names.files[file]! };
  for (const part of path.split('/')) {
    const refused = refusedWords(wordsOf(part), names);
    if (refused) return refused;
  }
  return undefined;
}

function refusedWords(words: readonly string[], { words: single, phrases }: Names): Refused | undefined {
  for (const [index, word] of words.entries()) {
    const pair = `${word} ${words[index + 1] ?? ''}`;
    const refused = singular(phrases, pair) ?? singular(single, word);
    if (refused) return refused;
  }
  return undefined;
}

function singular(known: Replacements, name: string): Refused | undefined {
  const part = [name, name.replace(/s$/, '')].find((form) => Object.hasOwn(known, form));
  return part === undefined ? undefined : { part, write: known[part]! };
}

/** One sentence for each refused name of a file: its own, and each identifier where it stands first. */
export function nameProblems(path: string, source: string | undefined, names = NAMES): string[] {
  const problems: string[] = [];
  const own = refusedPath(path, names);
  if (own) problems.push(`${path}: "${own.part}" in the file's name: write ${own.write}`);
  const seen = new Set<string>();
  for (const { kind, text, line } of source === undefined ? [] : tokensOf(source)) {
    if (kind !== 'word' || seen.has(text)) continue;
    seen.add(text);
    const refused = refusedIdentifier(text.replace(/^#/, ''), names);
    if (refused) problems.push(`${path}:${line}: "${refused.part}" in ${text}: write ${refused.write}`);
  }
  return problems;
}

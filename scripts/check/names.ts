// Finds refused names (names.json) in identifiers and paths, and says what to write instead.

import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { identifiersIn, lineAt } from './source.ts';

type Replacements = Readonly<Record<string, string>>;
type Names = Readonly<Record<'words' | 'phrases' | 'identifiers' | 'files', Replacements>>;

interface Refused {
  part: string;
  write: string;
}

/**
 * The refused names and their replacements. `words` and `phrases` are refused anywhere in a name, singular or plural;
 * `identifiers` and `files` (without extension) only as the whole name, because they are also ordinary words.
 */
const NAMES = JSON.parse(readFileSync(new URL('names.json', import.meta.url), 'utf8')) as Names;

/** Splits a name into lower-case words: `openDoor`, `OPEN_DOOR` and `open-door` become `open` and `door`. */
export const wordsOf = (name: string): string[] =>
  (name.match(/\p{Lu}?\p{Ll}+|\p{Lu}+(?!\p{Ll})/gu) ?? []).map((word) => word.toLowerCase());

/** The refused part of an identifier and its replacement. */
function refusedIdentifier(name: string, names = NAMES): Refused | undefined {
  if (Object.hasOwn(names.identifiers, name)) return { part: name, write: names.identifiers[name]! };
  return refusedWords(wordsOf(name), names);
}

/** The refused part of a path, its folders included, and the replacement. */
function refusedPath(path: string, names = NAMES): Refused | undefined {
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

function singular(replacements: Replacements, name: string): Refused | undefined {
  const part = [name, name.replace(/s$/, '')].find((form) => Object.hasOwn(replacements, form));
  return part === undefined ? undefined : { part, write: replacements[part]! };
}

/** One sentence for each refused name: the path of the file, and each identifier at its first occurrence. */
export function nameProblems(path: string, source: string | undefined, names = NAMES): string[] {
  const problems: string[] = [];
  const own = refusedPath(path, names);
  if (own) problems.push(`${path}: "${own.part}" in the file's name: write ${own.write}`);
  const seen = new Set<string>();
  for (const { text, at } of source === undefined ? [] : identifiersIn(path, source)) {
    if (seen.has(text)) continue;
    seen.add(text);
    const refused = refusedIdentifier(text.replace(/^#/, ''), names);
    if (refused) problems.push(`${path}:${lineAt(source!, at)}: "${refused.part}" in ${text}: write ${refused.write}`);
  }
  return problems;
}

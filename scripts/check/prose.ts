// Finds refused phrases (phrases.json) in comments and documents, and says what to write instead.

import { readFileSync } from 'node:fs';
import { commentsIn, lineAt } from './source.ts';

/** Regular expressions for whole words, in which a space matches any white space, with what to write instead. */
type Phrases = Readonly<Record<string, string>>;

const PHRASES = JSON.parse(readFileSync(new URL('phrases.json', import.meta.url), 'utf8')) as Phrases;

/** One sentence for each refused phrase in these files, whose text `read` returns. */
export function proseProblems(files: readonly string[], read: (file: string) => string, phrases = PHRASES): string[] {
  const patterns = Object.entries(phrases).map(
    ([phrase, write]) => [new RegExp(`(?<!\\w)(?:${phrase.replaceAll(' ', '\\s+')})(?!\\w)`, 'g'), write] as const,
  );
  return files.flatMap((file) => problemsIn(file, proseIn(file, read(file)), patterns));
}

function problemsIn(file: string, prose: string, patterns: readonly (readonly [RegExp, string])[]): string[] {
  return patterns.flatMap(([pattern, write]) =>
    Array.from(prose.matchAll(pattern), ({ 0: found, index }) => {
      return `${file}:${lineAt(prose, index)}: "${found.replace(/\s+/g, ' ')}": write ${write}`;
    }),
  );
}

/** The text of a file with its code replaced by NUL characters, so that offsets stay. */
function proseIn(file: string, text: string): string {
  if (/\.(?:ts|mts|mjs|js)$/.test(file)) return maskAllBut(text, commentsIn(file, text));
  if (file.endsWith('.md')) return text.replace(/^```[\s\S]*?^ *```|`[^`]*`/gm, masked);
  const pattern = /\.(?:java|css)$/.test(file) ? COMMENT : /(?<=^|\s)#.*/gm;
  const comments = Array.from(text.matchAll(pattern), ({ 0: comment, index }) => ({ text: comment, at: index }));
  return maskAllBut(
    text,
    comments.filter(({ text: comment }) => !/^["']/.test(comment)),
  );
}

/** Strings match as well, so that a slash in one does not begin a comment. */
const COMMENT = /"""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\/\/.*|\/\*[\s\S]*?\*\//g;

function maskAllBut(text: string, comments: readonly { text: string; at: number }[]): string {
  let prose = '';
  for (const { text: comment, at } of comments) {
    prose += masked(text.slice(prose.length, at));
    prose += comment.replace(/\/\/|\/\*+|\*+\/|^\s*[*#]/gm, spaces).replace(/`[^`]*`/g, masked);
  }
  return prose;
}

const masked = (code: string): string => code.replace(/[^\n]/g, '\0');
const spaces = (mark: string): string => mark.replace(/[^\n]/g, ' ');

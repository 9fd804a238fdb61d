// Splits TypeScript into words, strings and punctuation, without comments, for the structure check.

/** The text of a string excludes its quotes. A template is one token for each part between its expressions. */
export interface Token {
  kind: 'word' | 'string' | 'template' | 'other';
  text: string;
  line: number;
}

type Kind = Token['kind'] | 'space' | 'comment';

const PATTERNS: [Kind, RegExp][] = [
  ['space', /\s+/y],
  ['comment', /\/\/[^\n]*|\/\*[\s\S]*?\*\/|^#![^\n]*/y],
  ['string', /'(?:[^'\\\n]|\\[\s\S])*'|"(?:[^"\\\n]|\\[\s\S])*"/y],
  ['word', /#?[\p{ID_Start}$_][\p{ID_Continue}$]*/uy],
  ['other', /\d[\w.]*|[\s\S]/y],
];
const TEMPLATE = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*(`|\$\{|$)/y;
const REGEX = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/\w*/y;

/** After these tokens a slash begins a regular expression; after a name, a number or a closing bracket it is a division. */
const BEFORE_REGEX = /^(?:[=(,;:!&|?{}[+\-*%<>~^]|return|typeof|case|in|of|await|yield|=>)$/;

export function tokensOf(source: string): Token[] {
  const tokens: Token[] = [];
  /** The brace depth inside each open template expression. */
  const templates: number[] = [];
  let at = 0;
  let line = 1;
  const push = (kind: Kind, text: string, length: number): void => {
    if (kind !== 'space' && kind !== 'comment') tokens.push({ kind, text, line });
    for (const character of source.slice(at, at + length)) if (character === '\n') line++;
    at += length;
  };
  const template = (): void => {
    const [all, end = ''] = match(TEMPLATE, source, at + 1)!;
    push('template', all.slice(0, all.length - end.length), all.length + 1);
    if (end === '${') templates.push(0);
  };
  while (at < source.length) {
    const character = source[at]!;
    if (character === '`') template();
    else if (character === '}' && templates.at(-1) === 0) {
      templates.pop();
      template();
    } else if (character === '/' && regexMayFollow(source, at, tokens) && match(REGEX, source, at))
      push('other', 'regex', match(REGEX, source, at)![0].length);
    else {
      if (templates.length > 0 && '{}'.includes(character))
        templates.push(templates.pop()! + (character === '{' ? 1 : -1));
      const [kind, text] = next(source, at);
      push(kind, kind === 'string' ? text.slice(1, -1) : text, text.length);
    }
  }
  return tokens;
}

function next(source: string, at: number): [Kind, string] {
  for (const [kind, pattern] of PATTERNS) {
    const found = match(pattern, source, at);
    if (found) return [kind, found[0]];
  }
  throw new Error('Unreachable: the last pattern matches every character.');
}

function match(pattern: RegExp, source: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(source);
}

function regexMayFollow(source: string, at: number, tokens: readonly Token[]): boolean {
  if (source[at + 1] === '/' || source[at + 1] === '*') return false;
  const before = tokens.at(-1);
  return (
    before === undefined || ((before.kind === 'word' || before.kind === 'other') && BEFORE_REGEX.test(before.text))
  );
}

/** A class, interface, enum or annotation with the members that other classes can use. */
export interface TypeDeclaration {
  /** With the package, and the enclosing type before a dot. */
  name: string;
  kind: string;
  /** As written: names without packages if the file has imports. */
  supertypes: string[];
  members: Member[];
}

export interface Member {
  name: string;
  /** Without names of parameters, annotations, packages and what does not change a call, such as `final`. */
  signature: string;
}

/** Modifiers that a signature leaves out. */
const IGNORED = new Set(
  'public protected private abstract final default synchronized native transient volatile strictfp sealed'.split(' '),
);
const KINDS = new Set(['class', 'interface', 'enum', 'record', '@interface']);

/** Reads the declarations of a Java file; method bodies are skipped, and so are private members and those of a package. */
export function declarationsIn(source: string): TypeDeclaration[] {
  const reader = new Reader(tokensOf(source));
  const types: TypeDeclaration[] = [];
  let folder = '';
  while (!reader.atEnd) {
    const words = reader.declaration();
    if (words[0] === 'package') folder = `${words.slice(1).join('')}.`;
    else if (kindIn(words) !== undefined) readType(reader, words, folder, types);
  }
  return types;
}

function readType(reader: Reader, words: readonly string[], prefix: string, types: TypeDeclaration[]): void {
  const at = kindIn(words)!;
  const kind = words[at]!;
  const name = `${prefix}${words[at + 1]}`;
  const members: Member[] = [];
  types.push({ name, kind, supertypes: supertypesIn(words.slice(at + 2)), members });
  const isOpen = kind === 'interface' || kind === '@interface';
  if (kind === 'enum') members.push(...enumConstants(reader));
  while (!reader.closes('}')) {
    const member = reader.declaration();
    if (kindIn(member) !== undefined) readType(reader, member, `${name}.`, types);
    else if (isOpen || member.includes('public') || member.includes('protected')) members.push(...memberOf(member));
    reader.skipBody();
  }
}

/** The index of `class` and so on among the modifiers of a declaration. */
function kindIn(words: readonly string[]): number | undefined {
  const at = words.findIndex((word) => KINDS.has(word) || word === '(' || word === '=');
  return at >= 0 && KINDS.has(words[at]!) && words[at + 1] !== '(' ? at : undefined;
}

/** The names after `extends` and `implements`, without type parameters. */
function supertypesIn(words: readonly string[]): string[] {
  const begin = depthZero(words).findIndex(({ word }) => word === 'extends' || word === 'implements');
  if (begin < 0) return [];
  const plain = depthZero(words)
    .slice(begin)
    .map(({ word }) => word);
  const names = plain.join(' ').split(/ ?(?:\bextends\b|\bimplements\b|\bpermits .*|,) ?/);
  return names.map((name) => name.replaceAll(' ', '').replace(/<.*/, '')).filter((name) => name !== '');
}

/** The words outside angle brackets. */
function depthZero(words: readonly string[]): { word: string }[] {
  let depth = 0;
  return words.flatMap((word) => {
    if (word === '<') depth++;
    const isOutside = depth === 0;
    if (word === '>') depth--;
    return isOutside ? [{ word }] : [];
  });
}

function enumConstants(reader: Reader): Member[] {
  const names: Member[] = [];
  while (!reader.closes(';') && !reader.sees('}')) {
    const name = reader.next();
    if (name === ',') continue;
    names.push({ name, signature: name });
    if (reader.sees('(')) reader.skip('(', ')');
    if (reader.sees('{')) reader.skip('{', '}');
  }
  return names;
}

/** A method or constructor, or a field without its value. */
function memberOf(words: readonly string[]): Member[] {
  const open = words.indexOf('(');
  const value = words.indexOf('=');
  const isMethod = open > 0 && (value < 0 || open < value);
  const head = (isMethod ? words.slice(0, open) : value < 0 ? words : words.slice(0, value)).filter(
    (word) => !IGNORED.has(word),
  );
  const name = head.at(-1);
  if (name === undefined || name === 'static') return [];
  const parameters = isMethod ? `(${parameterTypes(words.slice(open + 1, matching(words, open))).join(', ')})` : '';
  return [{ name, signature: `${typeText(head)}${parameters}` }];
}

function matching(words: readonly string[], open: number): number {
  let depth = 0;
  return words.findIndex(
    (word, index) => index >= open && (depth += Number(word === '(') - Number(word === ')')) === 0,
  );
}

function parameterTypes(words: readonly string[]): string[] {
  const parameters: string[][] = [[]];
  let depth = 0;
  for (const word of words) {
    depth += Number(word === '<') - Number(word === '>');
    if (word === ',' && depth === 0) parameters.push([]);
    else if (word !== 'final') parameters.at(-1)!.push(word);
  }
  return parameters.filter((each) => each.length > 0).map((each) => typeText(each.slice(0, -1)));
}

/** Without packages: `java.util.List<String>` as `List<String>`. */
function typeText(words: readonly string[]): string {
  const text = words.join(' ').replaceAll(/\b(?:[a-z]\w* \. )+/g, '');
  return text
    .replaceAll(/ ?([<>.,[\]]) ?/g, '$1')
    .replaceAll(',', ', ')
    .replaceAll(/([>\]])(?=\w)/g, '$1 ');
}

/** Words and marks without comments, annotations, and the content of strings. */
function tokensOf(source: string): string[] {
  const pattern =
    /\/\*[\s\S]*?\*\/|\/\/.*|"""[\s\S]*?"""|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|@interface\b|\.\.\.|[\w$]+|\S/g;
  const all = (source.match(pattern) ?? []).filter((token) => !token.startsWith('/*') && !token.startsWith('//'));
  const tokens: string[] = [];
  for (let at = 0; at < all.length; at++) {
    if (all[at] !== '@') tokens.push(all[at]!);
    else at = endOfAnnotation(all, at);
  }
  return tokens;
}

/** @returns the index of its last token */
function endOfAnnotation(tokens: readonly string[], at: number): number {
  at += 1;
  while (tokens[at + 1] === '.') at += 2;
  return tokens[at + 1] === '(' ? matching(tokens, at + 1) : at;
}

class Reader {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  get atEnd(): boolean {
    return this.#at >= this.#tokens.length;
  }

  next(): string {
    return this.#tokens[this.#at++]!;
  }

  sees(token: string): boolean {
    return this.#tokens[this.#at] === token;
  }

  /** Steps over the token if it is next; true at the end of the file, too. */
  closes(token: string): boolean {
    if (this.atEnd) return true;
    if (!this.sees(token)) return false;
    this.#at++;
    return true;
  }

  /** The words up to a body or a semicolon. Stands at the body, or behind the semicolon and the brace of a type. */
  declaration(): string[] {
    const words: string[] = [];
    while (!this.atEnd && !this.sees(';') && !this.sees('{')) words.push(this.next());
    if (this.sees(';') || kindIn(words) !== undefined) this.#at++;
    return words;
  }

  /** Steps over the body of a method, an initializer, or a value with braces. */
  skipBody(): void {
    if (this.sees('{')) this.skip('{', '}');
  }

  skip(open: string, close: string): void {
    let depth = 0;
    do {
      const token = this.next();
      depth += Number(token === open) - Number(token === close);
    } while (depth > 0 && !this.atEnd);
  }
}

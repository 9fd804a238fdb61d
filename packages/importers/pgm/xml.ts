import sax from 'sax';
import { ImportRefusal } from '../finding.ts';

/** A document tree with positions and comments; maps name their authors in comments. */
export interface XmlElement {
  kind: 'element';
  name: string;
  attributes: ReadonlyMap<string, string>;
  children: XmlNode[];
  /** The lines, from 1, where the start tag ends and where the end tag ends. */
  line: number;
  endLine: number;
  /** The path of the included file; empty for the map's own file. */
  source: string;
}

export interface XmlComment {
  kind: 'comment';
  text: string;
  line: number;
}

export interface XmlText {
  kind: 'text';
  text: string;
}

export type XmlNode = XmlElement | XmlComment | XmlText;

const MAX_DEPTH = 100;

/**
 * Parses a document. DTDs are refused, and with them all entities except the five of XML itself.
 * @throws ImportRefusal with line and column if the document is not valid
 */
export function readXml(text: string, source = ''): XmlElement {
  const parser = sax.parser(true, { strictEntities: true } as sax.SAXOptions);
  const tree = new Tree(parser, text, source);
  try {
    refuseCharacters(text);
    parser.write(text).close();
    return tree.root();
  } catch (error) {
    throw error instanceof ImportRefusal ? error : new ImportRefusal(parserMessage(error), tree.place());
  }
}

class Tree {
  #parser: sax.SAXParser;
  #text: string;
  #source: string;
  #open: XmlElement[] = [];
  #root: XmlElement | undefined;

  constructor(parser: sax.SAXParser, text: string, source: string) {
    this.#parser = parser;
    this.#text = text;
    this.#source = source;
    Object.assign(parser, this.#handlers());
  }

  #handlers(): Partial<sax.SAXParser> {
    return {
      onerror: (error) => {
        throw error;
      },
      ondoctype: () => this.#refuse('has a document type declaration; DTDs and entities are not read'),
      onsgmldeclaration: () => this.#refuse('has a declaration that only a DTD may have'),
      onopentag: (tag) => this.#opened(tag as sax.Tag),
      onclosetag: () => this.#closed(),
      ontext: (text) => this.#add({ kind: 'text', text }),
      oncdata: (text) => this.#add({ kind: 'text', text }),
      oncomment: (text) => this.#commented(text),
    };
  }

  root(): XmlElement {
    return this.#root ?? this.#refuse('is not XML: it contains no element');
  }

  place(): string {
    return `line ${this.#line}, column ${this.#parser.column}`;
  }

  get #line(): number {
    return this.#parser.line + 1;
  }

  #opened(tag: sax.Tag): void {
    if (this.#open.length === 0 && this.#root) this.#refuse('has a second element after the end of the first');
    if (this.#open.length === MAX_DEPTH) this.#refuse(`nests elements deeper than ${MAX_DEPTH}`);
    this.#checkAttributes(tag);
    const attributes = new Map(Object.entries(tag.attributes));
    const line = this.#line;
    const element: XmlElement = {
      kind: 'element',
      name: tag.name,
      attributes,
      children: [],
      line,
      endLine: line,
      source: this.#source,
    };
    this.#add(element);
    this.#root ??= element;
    this.#open.push(element);
  }

  /** Two rules of XML that sax does not enforce: attributes must not repeat, and their values must not contain `<`. */
  #checkAttributes(tag: sax.Tag): void {
    const raw = this.#text.slice(this.#parser.startTagPosition - 1, this.#parser.position);
    const attributes = raw.match(/\s[^\s=<>"'/]+\s*=\s*("[^"]*"|'[^']*')/g) ?? [];
    if (attributes.length !== Object.keys(tag.attributes).length) this.#refuse(`<${tag.name}> has an attribute twice`);
    if (attributes.some((attribute) => attribute.includes('<')))
      this.#refuse(`<${tag.name}> has a "<" in an attribute`);
  }

  #closed(): void {
    const element = this.#open.pop();
    if (element) element.endLine = this.#line;
  }

  #commented(text: string): void {
    const line = this.#line - (text.match(/\n/g)?.length ?? 0);
    this.#add({ kind: 'comment', text, line });
  }

  #add(node: XmlNode): void {
    this.#open.at(-1)?.children.push(node);
  }

  #refuse(reason: string): never {
    throw new ImportRefusal(reason, this.place());
  }
}

/** Refuses characters that XML forbids (XML 1.0, 2.2); such a file is usually not XML at all. */
function refuseCharacters(text: string): void {
  // oxlint-disable-next-line no-control-regex -- the pattern searches for control characters
  const at = text.search(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/);
  if (at < 0) return;
  const before = text.slice(0, at).split('\n');
  throw new ImportRefusal(
    'is not XML: it contains control characters',
    `line ${before.length}, column ${before.at(-1)!.length + 1}`,
  );
}

/** The first line of sax's message; the other lines repeat line and column. */
function parserMessage(error: unknown): string {
  const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  return `is not well-formed XML: ${reason.replace(/\.$/, '')}`;
}

export function elementsOf(parent: XmlElement, ...names: string[]): XmlElement[] {
  return parent.children.filter((node) => node.kind === 'element').filter(({ name }) => names.includes(name));
}

/** The text of an element without the text of its child elements. */
export function textOf(element: XmlElement): string {
  return element.children.map((node) => (node.kind === 'text' ? node.text : '')).join('');
}

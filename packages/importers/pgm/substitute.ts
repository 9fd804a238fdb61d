import { ImportRefusal } from '../finding.ts';
import { oneLine } from '../../text/line.ts';
import { placeOf, type Notes, type Processed } from './preprocess.ts';
import { elementsOf, textOf, type XmlElement } from './xml.ts';

/** Bounds the length of a value whose constants multiply; no real map comes close. */
const MAX_LENGTH = 100_000;

/** Reads values of a processed map and substitutes constants as PGM does. A value with a deleted constant is absent. */
export class Values {
  readonly root: XmlElement;
  #constants: Processed['constants'];
  #notes: Notes;

  constructor({ root, constants }: Processed, notes: Notes) {
    this.root = root;
    this.#constants = constants;
    this.#notes = notes;
  }

  /** The first of the attributes that is present. */
  attribute(element: XmlElement, ...names: string[]): string | undefined {
    for (const name of names) {
      const value = element.attributes.get(name);
      const read = value === undefined ? undefined : this.#substitute(value, element);
      if (read !== undefined) return oneLine(read);
    }
    return undefined;
  }

  text(element: XmlElement): string {
    return oneLine(this.#substitute(textOf(element), element) ?? '');
  }

  /**
   * The value of the map under one of the names: the text of a child element, otherwise an attribute of `<map>`. Elements
   * of the map itself take precedence over those of includes; empty elements are ignored.
   */
  mapValue(...names: string[]): string | undefined {
    const elements = elementsOf(this.root, ...names);
    const own = elements.filter(({ source }) => source === '');
    const value = [...own, ...elements].map((element) => this.text(element)).find((text) => text !== '');
    return value ?? (this.attribute(this.root, ...names) || undefined);
  }

  note(element: XmlElement, note: string): void {
    this.#notes(placeOf(element), note);
  }

  #substitute(text: string, element: XmlElement): string | undefined {
    if (this.#constants.size === 0) return text;
    let deleted = false;
    let length = 0;
    const value = text.replace(/\$\{([^}\n]{1,200})\}/g, (_whole, id: string) => {
      const constant = this.#constants.get(id);
      if (constant === undefined) this.note(element, `constant "${id}" is used but not defined`);
      deleted ||= constant === undefined || constant === null;
      length += constant?.length ?? 0;
      if (length > MAX_LENGTH) throw new ImportRefusal('becomes too large through its constants', placeOf(element));
      return constant ?? '';
    });
    return deleted ? undefined : value;
  }
}

import { ImportRefusal } from '../finding.ts';
import { oneLine } from '../text.ts';
import { placeOf, type Notes, type Processed } from './preprocess.ts';
import { elementsOf, textOf, type XmlElement } from './xml.ts';

/** Longer than anything that a map says of itself, however it is put together. */
const MAX_LENGTH = 100_000;

/** Reads values of a processed map with constants put in, as PGM does: what names a deleted constant is not there. */
export class Values {
  readonly root: XmlElement;
  #constants: Processed['constants'];
  #notes: Notes;

  constructor({ root, constants }: Processed, notes: Notes) {
    this.root = root;
    this.#constants = constants;
    this.#notes = notes;
  }

  /** The first of the attributes that is there. */
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
   * What the map says under one of the names, in an element of its own or an attribute of `<map>`. What the map itself
   * says goes before what an include says; empty elements say nothing.
   */
  said(...names: string[]): string | undefined {
    const elements = elementsOf(this.root, ...names);
    const own = elements.filter(({ source }) => source === '');
    const received = [...own, ...elements].map((element) => this.text(element)).find((text) => text !== '');
    return received ?? (this.attribute(this.root, ...names) || undefined);
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
      if (length > MAX_LENGTH) throw new ImportRefusal('grows beyond all bounds by its constants', placeOf(element));
      return constant ?? '';
    });
    return deleted ? undefined : value;
  }
}

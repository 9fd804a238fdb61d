import { join, posix } from 'node:path';
import { ImportRefusal } from '../finding.ts';
import { readBytes } from '../read-file.ts';
import { decodeXml } from './encoding.ts';
import { readXml, type XmlElement } from './xml.ts';

export const MAX_BYTES = 5_000_000;

/** The XML files of a folder that are not maps; `<include>` may name them. */
export class Includes {
  #folder: string;
  #files: readonly string[];
  #read = new Map<string, Promise<XmlElement>>();

  /** `files` are paths relative to the folder, found by `walk`; no other file is ever opened. */
  constructor(folder: string, files: readonly string[]) {
    this.#folder = folder;
    this.#files = files;
  }

  /**
   * The file that an include names. PGM has one folder of includes and names its files by `id`; `src` is the older
   * form, a path relative to the map. Of several matching files the nearest to the map wins, then one in `includes/`.
   */
  find(include: XmlElement, mapFolder: string): string | undefined {
    const source = include.attributes.get('src');
    if (source !== undefined) return this.#bySource(source, mapFolder);
    const id = include.attributes.get('id');
    return id === undefined ? undefined : this.#byName(`${id}.xml`, mapFolder);
  }

  /** `includes/global.xml`, which PGM includes in every map. */
  global(): string | undefined {
    return this.#files.find((file) => /(^|\/)includes\/global\.xml$/.test(file));
  }

  /** The root element of a file that `find` returned. @throws ImportRefusal if it is not XML */
  read(file: string): Promise<XmlElement> {
    let read = this.#read.get(file);
    if (!read) {
      read = readInclude(join(this.#folder, file), file);
      this.#read.set(file, read);
    }
    return read;
  }

  #bySource(source: string, mapFolder: string): string | undefined {
    const beside = posix.join(mapFolder, source);
    if (this.#files.includes(beside)) return beside;
    const inside = posix.normalize(source);
    if (this.#files.includes(inside)) return inside;
    return source.includes('..') ? undefined : this.#byName(posix.basename(source), mapFolder);
  }

  #byName(name: string, mapFolder: string): string | undefined {
    const key = name.toLowerCase();
    const matching = this.#files.filter((file) => posix.basename(file).toLowerCase() === key);
    for (let folder = mapFolder; matching.length > 1; folder = posix.dirname(folder)) {
      const beside = matching.find((file) => posix.dirname(file) === (folder || '.'));
      if (beside) return beside;
      if (folder === '' || folder === '.') break;
    }
    return matching.find((file) => /(^|\/)includes\//.test(file)) ?? matching[0];
  }
}

async function readInclude(path: string, file: string): Promise<XmlElement> {
  try {
    return readXml(decodeXml(await readBytes(path, MAX_BYTES)).text, file);
  } catch (error) {
    if (!(error instanceof ImportRefusal)) throw error;
    throw new ImportRefusal(error.message, [file, error.place].filter(Boolean).join(', '));
  }
}

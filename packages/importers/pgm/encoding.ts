import { ImportRefusal } from '../finding.ts';

export interface Decoded {
  text: string;
  /** A problem of the encoding, for the owner of the file. */
  note?: string;
}

/** Decodes an XML file by its byte order mark, its first bytes or its declaration (XML 1.0, appendix F). */
export function decodeXml(bytes: Uint8Array): Decoded {
  const declared = byMark(bytes) ?? byDeclaration(bytes);
  const decoder = createDecoder(declared ?? 'utf-8');
  try {
    return { text: decoder.decode(bytes) };
  } catch {
    if (decoder.encoding !== 'utf-8')
      throw new ImportRefusal(`is declared as ${declared}, but is not valid ${declared} text`);
    return { text: new TextDecoder('windows-1252').decode(bytes), note: 'is not UTF-8 text; read as Latin-1' };
  }
}

function byMark([a, b, c]: Uint8Array): string | undefined {
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8';
  if ((a === 0xff && b === 0xfe) || (a === 0x3c && b === 0)) return 'utf-16le';
  if ((a === 0xfe && b === 0xff) || (a === 0 && b === 0x3c)) return 'utf-16be';
  return undefined;
}

const DECLARATION = /^\s*<\?xml\s[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']/;

function byDeclaration(bytes: Uint8Array): string | undefined {
  const label = DECLARATION.exec(Buffer.from(bytes.subarray(0, 400)).toString('latin1'))?.[1];
  // A declaration that is readable byte by byte is not UTF-16, even if it claims so.
  return label === undefined || /^(utf-?16|ucs-?2|iso-10646-ucs-2)/i.test(label) ? undefined : label;
}

function createDecoder(label: string): TextDecoder {
  try {
    return new TextDecoder(label, { fatal: true });
  } catch {
    throw new ImportRefusal(`has the unknown encoding "${label}"; save it as UTF-8`);
  }
}

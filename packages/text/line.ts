/** Embeddings, overrides and isolates of UAX #9, which change the order of all following text; events refuse them. */
const BIDI_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g;

/** Text of a file as one line that an event accepts: runs of white space and control characters become one space. */
export function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(BIDI_CONTROLS, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}

/** Marks of colour and style in Minecraft's texts, like `§c`. */
const STYLE = /§[0-9a-fk-orx]/gi;

/** Text of Minecraft without its marks of colour and style. */
export function unstyled(text: string): string {
  return text.replace(STYLE, '');
}

/** Marks as plugins let staff type them: `&c`, `&#ff5555`, and `&x&f&f&5&5&5&5`, whose digits are marks themselves. */
const TYPED_STYLE = /&#[0-9a-f]{6}|&[0-9a-fk-orx]/gi;

/** Text of a plugin without marks of either form. */
export function withoutTypedStyles(text: string): string {
  return unstyled(text).replace(TYPED_STYLE, '');
}

/** One line of at most `max` UTF-16 units; a longer text is cut and ends in an ellipsis. */
export function fit(text: string, max: number): string {
  const line = oneLine(text);
  if (line.length <= max) return line;
  return `${line
    .slice(0, max - 1)
    .replace(/[\ud800-\udbff]$/, '')
    .trimEnd()}…`;
}

/** Orders paths and names by code units, independently of the locale. */
export function byCodeUnits(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

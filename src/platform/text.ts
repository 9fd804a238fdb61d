/** How names are compared where case does not count: composed, lower case. Kept in `…_key` columns. */
export function nameKey(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

/** A UUID as it is printed: lower case with dashes. Undefined where the text is no UUID, with or without dashes. */
export function uuidOf(text: string): string | undefined {
  const hex = text.replaceAll('-', '').toLowerCase();
  if (!/^[0-9a-f]{32}$/.test(hex) || (text.length !== 32 && !DASHED.test(text))) return undefined;
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

const DASHED = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether text can be stored and looked for: no control characters (NUL among them), no half surrogates. */
export function isCleanText(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  return !/[\u0000-\u001f\u007f-\u009f]/.test(text) && text.isWellFormed();
}

/** The beginning of a text, counted in characters, well formed. */
export function firstCharacters(text: string, most: number): string {
  // None is longer than two units; what lies behind is not looked at, however much it is.
  return Array.from(text.slice(0, 2 * most))
    .slice(0, most)
    .join('')
    .toWellFormed();
}

/**
 * Any text as it can be stored and shown: what `isShownText` does not let pass becomes U+FFFD, and it ends after so many
 * characters.
 */
export function sanitised(text: string, most: number): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  return firstCharacters(text, most).replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '\ufffd');
}

/**
 * Whether text can be shown beside other text as it stands: clean, and without what turns the order of everything behind
 * it (embeddings, overrides and isolates of UAX #9). The marks that right-to-left writing needs are none of these.
 */
export function isShownText(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  return !/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/.test(text) && text.isWellFormed();
}

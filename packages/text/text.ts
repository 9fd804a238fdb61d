/** Names are compared in this form, regardless of case: NFC, lower case. The `…_key` columns hold it. */
export function nameKey(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

/** Normalises a UUID, written with or without dashes, to lower case with dashes; undefined for any other text. */
export function uuidOf(text: string): string | undefined {
  const hex = text.replaceAll('-', '').toLowerCase();
  if (!/^[0-9a-f]{32}$/.test(hex) || (text.length !== 32 && !DASHED.test(text))) return undefined;
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

const DASHED = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * The label shown for a player whose name is not known, or has no visible character. It has both ends of the UUID, because those
 * of Bedrock players begin with zeros. No name of a game account contains a dash.
 */
export function uuidLabel(uuid: string): string {
  return `${uuid.slice(0, 8)}-${uuid.slice(24)}`;
}

/** Whether a name is a label of a UUID; earlier versions stored the first thirteen characters. */
export function isUuidLabel(name: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}([0-9a-f]{8})?$/.test(name);
}

/** The key by which a player's name is found. A label has none. */
export const playerNameKey = (name: string): string => (isUuidLabel(name) ? '' : nameKey(name));

/** Whether a text has a character that can be seen: neither blank, nor a mark without width, nor a filler. */
export function hasVisibleCharacter(text: string): boolean {
  return /[^\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800]/u.test(text);
}

/**
 * Whether text can be stored, searched for and written to XML: it has no control characters (such as NUL), no lone
 * surrogates, and neither U+FFFE nor U+FFFF, which no XML document may contain (XML 1.0, 2.2).
 */
export function isCleanText(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- the test is for control characters
  return !/[\u0000-\u001f\u007f-\u009f\ufffe\uffff]/.test(text) && text.isWellFormed();
}

/** The first `max` characters (code points) of a text. Lone surrogates become U+FFFD. */
export function firstCharacters(text: string, max: number): string {
  // A character has at most two code units, so the rest of a long text need not be split.
  return Array.from(text.slice(0, 2 * max))
    .slice(0, max)
    .join('')
    .toWellFormed();
}

/** Makes any text storable and displayable: at most `max` characters, with U+FFFD for each that `isShownText` refuses. */
export function sanitised(text: string, max: number): string {
  return firstCharacters(text, max).replace(NOT_SHOWN, '\ufffd');
}

// oxlint-disable-next-line no-control-regex -- replaces control characters
const NOT_SHOWN = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ufffe\uffff]/g;

/**
 * Whether text can be shown within other text: it is clean and has no bidirectional embeddings, overrides or isolates
 * (UAX #9), which would reorder the text that follows. The marks that right-to-left scripts need are allowed.
 */
export function isShownText(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- the test is for control characters
  return !/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ufffe\uffff]/.test(text) && text.isWellFormed();
}

/** Replaces U+FFFE and U+FFFF in text that was stored before `isCleanText` refused them. */
export function withoutNoncharacters(text: string): string {
  return text.replace(/[\ufffe\uffff]/g, '\ufffd');
}

/** A dot, also the ideographic and the fullwidth ones that browsers read as dots in hosts (UTS #46, RFC 3490). */
const DOT = '[.\\u3002\\uff0e\\uff61]';
const LABEL = '[\\p{L}\\p{N}\\p{M}_-]';

/** A scheme with its slashes, an e-mail address, an IP address, or a host: a dot between a label and a top-level domain. */
const ADDRESS = new RegExp(
  `:\\s*/\\s*/|[@\\uff20]|\\b(www|mailto|javascript|data)\\s*[${DOT.slice(1, -1)}:]|${LABEL}${DOT}\\p{L}${LABEL}|(\\d{1,3}${DOT}){3}\\d`,
  'iu',
);

/**
 * Whether a text has an address (URL, host, e-mail) that mail programs make clickable. The names in our mails must have
 * none: otherwise a user could send advertisements under our name.
 */
export function containsAddress(text: string): boolean {
  return ADDRESS.test(text.normalize('NFKC')) || ADDRESS.test(text);
}

/**
 * The text with the punctuation of its addresses replaced by spaces, for mails about names that were stored before
 * `containsAddress` was checked.
 */
export function withoutAddresses(text: string): string {
  if (!containsAddress(text)) return text;
  return text
    .normalize('NFKC')
    .replace(/[@:/\\.\u3002\uff0e\uff61]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Whether two JSON texts are equal as canonical JSON: the order of members does not count. */
export const isSameJson = (one: string, other: string): boolean =>
  canonicalJson(JSON.parse(one)) === canonicalJson(JSON.parse(other));

/** JSON with the members of all objects sorted by name (as in RFC 8785). */
export const canonicalJson = (value: unknown): string => JSON.stringify(sorted(value));

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]));
}

/**
 * The values of a header such as `Accept-Language` in lower case, with their weights (RFC 9110 section 12.4.2). A weight that
 * is no number is 0.
 */
export function weightedValues(header: string): Map<string, number> {
  const parts = header
    .toLowerCase()
    .split(',')
    .map((part) => part.split(';').map((text) => text.trim()));
  return new Map(
    parts.map(([value = '', ...parameters]) => {
      const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice('q='.length);
      return [value, quality === undefined ? 1 : Number(quality) || 0];
    }),
  );
}

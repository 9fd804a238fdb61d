import { isUtf8 } from 'node:buffer';

/**
 * Parses the JSON of senders, which must be UTF-8 and must not repeat a member in an object: RFC 8259, section 4, calls
 * the meaning of repeated names unpredictable.
 */
type Parsed = { raw: RawEvent } | { problem: string };

/** An element of an array that cannot be an event, with its value if it is JSON. */
export interface InvalidElement {
  problem: string;
  input?: unknown;
}

/** A parsed value that may be an event, with the JSON of its `data`, which is long and therefore serialised only once. */
export interface RawEvent {
  input: unknown;
  data?: string;
  /** Whether naming all problems of the event could take long; left out: no. */
  isLarge?: true;
}

/** From this length of the JSON of its data on an event is large: naming 16 KiB of problems takes some 100 ms. */
const LARGE_DATA = 16 * 1024;
/** Maximum characters of an element of an array: data of the maximum length, with as many spaces. */
export const MAX_ELEMENT_LENGTH = 2 * 1024 * 1024;

/** Parses one value, such as a line of a stream. */
export const parseOne = (bytes: Buffer): Parsed =>
  isUtf8(bytes) ? parseText(decodeText(bytes)) : { problem: 'is not UTF-8' };

/**
 * Splits an array without parsing it, so that the caller may pause between its elements: each is parsed when it is read. A
 * malformed element affects no other.
 * @param most maximum elements
 * @returns undefined if the text is no array that can be split; `parseOne` says what is wrong
 */
export function parseEach(
  bytes: Buffer,
  most: number,
): Iterable<RawEvent | InvalidElement> | typeof TOO_MANY | undefined {
  if (!isUtf8(bytes)) return undefined;
  const elements = splitElements(decodeText(bytes), most);
  if (elements === TOO_MANY) return TOO_MANY;
  const isEmpty = elements?.length === 1 && elements[0]!.trim() === '';
  return isEmpty ? [] : elements?.values().map(parseElement);
}

function parseElement(text: string): RawEvent | InvalidElement {
  if (text.length > MAX_ELEMENT_LENGTH) return { problem: `is longer than ${MAX_ELEMENT_LENGTH} characters` };
  const parsed = parseText(text);
  if ('raw' in parsed) return parsed.raw;
  try {
    return { ...parsed, input: JSON.parse(text) as unknown };
  } catch {
    return parsed;
  }
}

export const TOO_MANY = Symbol('too many elements');
const BYTE_ORDER_MARK = 0xfeff;

function decodeText(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  return text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
}

export function parseText(text: string): Parsed {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (text.trim() === '') return { problem: 'is empty' };
    const [, after, position] = /(after JSON)? at position (\d+)/.exec((error as Error).message) ?? [];
    if (position === undefined) return { problem: 'is not JSON' };
    const several =
      after === undefined ? '' : ', after the first value; several events are an array, or lines of NDJSON';
    return { problem: `is not JSON: see character ${Number(position) + 1}${several}` };
  }
  const repeatsNames = countMembersInText(text) !== countMembers(value);
  return repeatsNames ? { problem: 'names the same member twice in one object' } : { raw: toRawEvent(value) };
}

/**
 * Splits the text of an array into those of its elements by brackets and commas outside of strings.
 * @returns undefined if the text has another form, `TOO_MANY` if it has more than `most` elements
 */
function splitElements(text: string, most: number): string[] | typeof TOO_MANY | undefined {
  const trimmed = text.trim();
  if (!trimmed.startsWith('[') || !trimmed.endsWith(']')) return undefined;
  const elements: string[] = [];
  const last = trimmed.length - 1;
  let start = 1;
  let open = 0;
  let inString = false;
  for (let at = 1; at < last; at++) {
    const code = trimmed.charCodeAt(at);
    if (inString && code === BACKSLASH) at++;
    else if (code === QUOTE) inString = !inString;
    else if (inString) continue;
    else if (code === BRACE || code === BRACKET) open++;
    else if (code === BRACE_END || code === BRACKET_END) open--;
    else if (code === COMMA && open === 0) {
      elements.push(trimmed.slice(start, at));
      start = at + 1;
    }
    if (open < 0) return undefined;
    if (elements.length >= most) return TOO_MANY;
  }
  return open === 0 && !inString ? [...elements, trimmed.slice(start, last)] : undefined;
}

/** Data nested too deep for `JSON.stringify` gets no JSON; the schema refuses it. */
function toRawEvent(input: unknown): RawEvent {
  const data = (input as { data?: unknown } | null)?.data;
  if (typeof data !== 'object') return { input };
  try {
    const json = JSON.stringify(data);
    return { input, data: json, ...(json.length >= LARGE_DATA && { isLarge: true }) };
  } catch {
    return { input, isLarge: true };
  }
}

const [QUOTE, BACKSLASH, COLON, COMMA] = [0x22, 0x5c, 0x3a, 0x2c];
const [BRACE, BRACE_END, BRACKET, BRACKET_END] = [0x7b, 0x7d, 0x5b, 0x5d];

/** Counts the members in valid JSON text: each has one colon outside of strings. */
function countMembersInText(text: string): number {
  let count = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) inString = !inString;
    else if (code === BACKSLASH) at++;
    else if (code === COLON && !inString) count++;
  }
  return count;
}

/** Counts the members of all objects in a value. Iterative, since nested arrays may be deeper than the stack. */
function countMembers(value: unknown): number {
  let count = 0;
  const open = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    const parts: unknown[] = Object.values(next);
    if (!Array.isArray(next)) count += parts.length;
    for (const part of parts) if (typeof part === 'object' && part !== null) open.push(part);
  }
  return count;
}

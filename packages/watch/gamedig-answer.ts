import { isUtf8 } from 'node:buffer';
import type { GamedigPlayer, GamedigState } from 'gamedig';
import { countOf, type GameStatus, mapNameOf, maxOf, namesOf, playersOf } from './status.ts';

/**
 * The status in an answer of gamedig, which passes on what the server sent: counts as text, bots among the players, colour
 * codes, and, as it is asked for here, one character for each byte of a text (`ENCODING`).
 */
export function statusOf(state: GamedigState, protocol: string): GameStatus {
  const [people, bots] = [listOf(state.players), listOf(state.bots)];
  const named = people.filter((player) => !isBot(player));
  const playerCount = playersOf(peopleIn(state, named.length, people.length - named.length + bots.length));
  const text = (value: unknown): unknown => (typeof value === 'string' ? shownText(value, protocol) : value);
  return {
    playerCount,
    max: maxOf(state.maxplayers),
    names: namesOf(named, playerCount, (player) => text((player as GamedigPlayer).name)),
    playing: playerCount,
    tags: [],
    map: mapNameOf(text(state.map)),
    nextMap: '',
    match: undefined,
  };
}

const listOf = (list: unknown): GamedigPlayer[] =>
  Array.isArray(list) ? list.filter((one) => typeof one === 'object' && one !== null) : [];

/** Battlefield (`AIBot_`) and Unreal Tournament (`ngsecret`) mark their bots; for the others gamedig knows them. */
const isBot = ({ raw }: GamedigPlayer): boolean => raw?.['AIBot'] === '1' || raw?.['ngsecret'] === 'bot';

/** The number of players without bots. Most games count bots as players; others number fewer players than they list. */
function peopleIn({ numplayers, raw }: GamedigState, listed: number, listedBots: number): number {
  const bots = Math.max(listedBots, countOf(raw?.['numbots']) ?? 0, countOf(raw?.['bots']) ?? 0);
  const all = countOf(numplayers) || listed + listedBots;
  return all >= listed + bots ? all - bots : Math.max(all, listed);
}

/** Decodes each byte as the character with its number. */
export const ENCODING = 'iso-8859-1';

/** The colour codes of a protocol, in a text of one character for each byte. */
const CARET = /\^x[0-9a-fA-F]{3}|\^X[0-9a-fA-F]{6}|\^[!-\]_-~]/g;
const COLOURS: Readonly<Record<string, RegExp>> = {
  quake3: CARET,
  doom3: CARET,
  warsow: CARET,
  xonotic: CARET,
  ase: /#[0-9a-fA-F]{6}/g,
  // oxlint-disable-next-line no-control-regex -- the codes begin with a control character
  unreal2: /\u001b.{3}/gs,
  // oxlint-disable-next-line no-control-regex -- as above; of America's Army
  gamespy2: /\u001b.{3}/gs,
};
/** Games with a separate character set, which has the letters again, in another colour, above 127. */
const OWN_CHARACTERS: ReadonlySet<string> = new Set(['quake1', 'quake2']);

const WINDOWS_1252 = new TextDecoder('windows-1252');

function shownText(text: string, protocol: string): string {
  const colours = COLOURS[protocol];
  // An escaped caret is none of a colour code.
  const parts = colours === CARET ? text.split('^^') : [text];
  const plain = parts.map((part) => (colours === undefined ? part : part.replaceAll(colours, ''))).join('^');
  // The private characters are those of Quake's picture in DarkPlaces.
  const signs = decoded(plain, protocol).replaceAll(/[\ue000-\ue0ff]/g, (sign) => quakeSign(sign.charCodeAt(0)));
  return signs.replaceAll(SEMICOLON, ';');
}

/** UTF-8 if it is, also if a maximum length cut the last character; otherwise what old games write. */
function decoded(text: string, protocol: string): string {
  // Decoded by gamedig, by a protocol that knows the encoding.
  if (/[\u0100-\uffff]/.test(text)) return text;
  const bytes = Buffer.from(text, 'latin1');
  const unicode = bytes.some(isNotAscii) ? utf8In(bytes) : undefined;
  if (unicode !== undefined) return unicode;
  return OWN_CHARACTERS.has(protocol) ? Array.from(bytes, quakeSign).join('') : WINDOWS_1252.decode(bytes);
}

const isNotAscii = (byte: number): boolean => byte >= 0x80;

function utf8In(bytes: Buffer): string | undefined {
  if (isUtf8(bytes)) return bytes.toString();
  // An incomplete character alone proves nothing: it may be one of another encoding.
  const start = bytes.findLastIndex((byte) => byte >= 0xc0);
  const whole = bytes.subarray(0, Math.max(start, 0));
  return bytes.length - start < 4 && whole.some(isNotAscii) && isUtf8(whole) ? whole.toString() : undefined;
}

/** Brackets and digits of the picture have a second place below 32. */
const LOW_SIGNS: Readonly<Record<number, string>> = { 0x10: '[', 0x11: ']' };

function quakeSign(code: number): string {
  const sign = code & 0x7f;
  if (sign >= 0x12 && sign <= 0x1b) return String(sign - 0x12);
  return LOW_SIGNS[sign] ?? String.fromCharCode(sign);
}

/** `;` as gamedig reads it, in as many bytes as `\;`. */
const ESCAPED = Buffer.from('\\;');
const SEMICOLON = '\u037e';
/** The bytes before the text of a pong: its kind, a time, the number of the server, a constant and the length. */
const PONG_HEADER = 35;

/** A pong of Bedrock whose escaped semicolons gamedig does not take for the ends of members. */
export function withoutEscapes(pong: Buffer): Buffer {
  const copy = Buffer.from(pong);
  for (let at = copy.indexOf(ESCAPED, PONG_HEADER); at >= 0; at = copy.indexOf(ESCAPED, at + ESCAPED.length))
    copy.write(SEMICOLON, at);
  return copy;
}

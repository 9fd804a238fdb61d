/**
 * The bitmap font of Open Graph images. A glyph has five columns and eight rows; each row is one base-32 digit, whose
 * highest bit is the left column.
 */
const BITMAPS = {
  A: 'ehhvhhh0', B: 'uhhuhhu0', C: 'ehggghe0', D: 'sihhhis0', E: 'vgguggv0', F: 'vgguggg0', G: 'ehgnhhf0',
  H: 'hhhvhhh0', I: 'e44444e0', J: '72222ic0', K: 'hikokih0', L: 'ggggggv0', M: 'hrllhhh0', N: 'hhpljhh0',
  O: 'ehhhhhe0', P: 'uhhuggg0', Q: 'ehhhlid0', R: 'uhhukih0', S: 'fgge11u0', T: 'v4444440', U: 'hhhhhhe0',
  V: 'hhhhha40', W: 'hhhllla0', X: 'hha4ahh0', Y: 'hhha4440', Z: 'v1248gv0',
  a: '00e1fhf0', b: 'ggmphhu0', c: '00egghe0', d: '11djhhf0', e: '00ehvge0', f: '698s8880', g: '00fhhf1e',
  h: 'ggmphhh0', i: '40c444e0', j: '206222ic', k: 'ggikoki0', l: 'c44444e0', m: '00qllll0', n: '00mphhh0',
  o: '00ehhhe0', p: '00uhhugg', q: '00fhhf11', r: '00mpggg0', s: '00fge1u0', t: '88s88960', u: '00hhhjd0',
  v: '00hhha40', w: '00hhlla0', x: '00ha4ah0', y: '00hhhf1e', z: '00v248v0',
  0: 'ehjlphe0', 1: '4c4444e0', 2: 'eh1248v0', 3: 'v2421he0', 4: '26aiv220', 5: 'vgu11he0', 6: '68guhhe0',
  7: 'v1248880', 8: 'ehhehhe0', 9: 'ehhf12c0',
  _: '000000v0', '-': '000e0000', '.': '00000cc0', ',': '00000c48', ':': '0cc0cc00', ';': '0cc00c48', '!': '44444040',
  '?': 'eh124040', "'": '44000000', '"': 'aa000000', '(': '24888420', ')': '84222480', '/': '01248g00',
  '\\': '0g842100', '+': '044v4400', '#': 'aavavaa0', '&': 'cik8lid0', '*': '04lel400', '=': '00v0v000',
  '%': 'op248j30', '@': 'ehnlnge0', '[': 'e88888e0', ']': 'e22222e0', '<': '248g8420', '>': '84212480',
  '~': '008l2000', '^': '4ah00000', $: '4fke5u40', '|': '44444440', '`': '84000000', '{': '24484420',
  '}': '84424480', '·': '000cc000', '–': '000v0000', ' ': '00000000',
} as const; // prettier-ignore

export const GLYPH_WIDTH = 5;
export const GLYPH_HEIGHT = 8;

const GLYPHS = new Map(
  Object.entries(BITMAPS).map(([character, rows]) => [character, Array.from(rows, (row) => Number.parseInt(row, 32))]),
);

/** The rows of a character; those of `?` for a character that the font lacks. */
export function glyph(character: string): readonly number[] {
  return GLYPHS.get(character) ?? GLYPHS.get('?')!;
}

/** A text without accents, as the font can draw it; undefined if it is empty or has characters that the font lacks. */
export function drawable(text: string): string | undefined {
  const plain = text
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}]/gu, '')
    .replace(/’/g, "'");
  return plain.trim() !== '' && Array.from(plain).every((character) => GLYPHS.has(character)) ? plain : undefined;
}

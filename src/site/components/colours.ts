import { hsl, inkOn } from '#platform/colours.ts';
import { nameKey } from '#platform/text.ts';

/** The colours that games know by name; the stylesheet has a class for each, so that no page needs styles of its own. */
export const COLOURS = {
  black: '#2b2b33',
  'dark-blue': '#2340b8',
  'dark-green': '#1f8a3b',
  'dark-aqua': '#168a94',
  'dark-red': '#a8201f',
  'dark-purple': '#8a35b0',
  gold: '#e09a1a',
  gray: '#9aa0a8',
  'dark-gray': '#5d636d',
  blue: '#4a68f0',
  green: '#4fc25a',
  aqua: '#3fc3cf',
  red: '#e5473f',
  'light-purple': '#e06cd6',
  yellow: '#efd23a',
  white: '#eceff2',
} as const;

export type Colour = keyof typeof COLOURS;

const NAMES = Object.keys(COLOURS) as Colour[];
const OTHER_NAMES = new Map<string, Colour>([
  ['purple', 'dark-purple'],
  ['pink', 'light-purple'],
  ['magenta', 'light-purple'],
  ['orange', 'gold'],
  ['cyan', 'dark-aqua'],
  ['lime', 'green'],
  ['light-blue', 'aqua'],
  ['grey', 'gray'],
  ['dark-grey', 'dark-gray'],
  ['silver', 'gray'],
  ['light-gray', 'gray'],
  ['brown', 'gold'],
]);

/** Teams whose colour nobody told get one by their place. */
const BY_PLACE: readonly Colour[] = ['red', 'blue', 'green', 'yellow', 'dark-purple', 'dark-aqua', 'gold', 'gray'];

export function colourNamed(name: string): Colour | undefined {
  const key = nameKey(name).trim().replace(/[ _]+/g, '-');
  return NAMES.find((colour) => colour === key) ?? OTHER_NAMES.get(key);
}

/** The colour of each team: as the map tells, else as the name says ("Dark Red Team"), else by its place. */
export function coloursOf(
  teams: readonly { name: string }[],
  received: readonly { name: string; color: string }[],
): Map<string, Colour> {
  const byName = new Map(received.map(({ name, color }) => [nameKey(name), colourNamed(color)]));
  return new Map(
    teams.map(({ name }, place) => [
      name,
      byName.get(nameKey(name)) ?? colourWithin(name) ?? BY_PLACE[place % BY_PLACE.length]!,
    ]),
  );
}

/** The colour that a word or two of a name say. */
function colourWithin(name: string): Colour | undefined {
  const words = nameKey(name)
    .split(/[^a-z]+/)
    .slice(0, 12);
  const pairs = words.map((word, place) => `${word}-${words[place + 1] ?? ''}`);
  return [...pairs, ...words].map(colourNamed).find((colour) => colour !== undefined);
}

/** The rules of the stylesheet for each colour: the colour itself, and what can be read on it. */
export function colourRules(): string {
  return Object.entries(COLOURS)
    .map(([name, colour]) => {
      return `.c-${name}{--c:${colour};--c-ink:${inkOn(colour)}}`;
    })
    .join('\n');
}

const HUES = 12;

/** A class that gives the same thing the same hue each time. */
export function hueOf(name: string): string {
  let sum = 7;
  for (const character of name.slice(0, 64)) sum = (sum * 31 + character.codePointAt(0)!) % 9973;
  return `hue-${sum % HUES}`;
}

/** The two colours of a hue on dark ground: what is drawn, and behind it. */
export function hueColours(hue: string): { front: string; behind: string } {
  const degrees = (Number(hue.slice(4)) * 360) / HUES + 12;
  return { front: hsl(degrees, 0.55, 0.66), behind: hsl(degrees, 0.3, 0.22) };
}

export function hueRules(): string {
  return Array.from({ length: HUES }, (_, place) => {
    const degrees = (place * 360) / HUES + 12;
    const { front, behind } = hueColours(`hue-${place}`);
    const [light, back] = [hsl(degrees, 0.55, 0.4), hsl(degrees, 0.5, 0.91)];
    return `.hue-${place}{--h:light-dark(${light},${front});--h-back:light-dark(${back},${behind})}`;
  }).join('\n');
}

import { channels, hsl, inkOn } from '#platform/text/colours.ts';
import { nameKey } from '#text/text.ts';

/** The colours that games refer to by name. The stylesheet has a class `c-NAME` for each, so pages need no inline style. */
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
const ALIASES = new Map<string, Colour>([
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

/** The colours of teams without a known colour, by their position. */
const DEFAULT_COLOURS: readonly Colour[] = [
  'red',
  'blue',
  'green',
  'yellow',
  'dark-purple',
  'dark-aqua',
  'gold',
  'gray',
];

/** The colour of a name or alias in any spelling (`Dark Red`, `dark_red`); undefined for other names. */
export function colourNamed(name: string): Colour | undefined {
  const key = nameKey(name).trim().replace(/[ _]+/g, '-');
  return NAMES.find((colour) => colour === key) ?? ALIASES.get(key);
}

/**
 * The colour of each team, by its name: the reported colour, else the one in the map's description, else a colour in the team's name
 * (`Dark Red Team`), else a default by position.
 */
export function teamColours(
  teams: readonly { name: string }[],
  mapTeams: readonly { name: string; color: string }[],
  reported: readonly string[] = [],
): Map<string, Colour> {
  const byName = new Map(mapTeams.map(({ name, color }) => [nameKey(name), colourNamed(color)]));
  return new Map(
    teams.map(({ name }, index) => [
      name,
      nearestColour(reported[index] ?? '') ??
        byName.get(nameKey(name)) ??
        colourInName(name) ??
        DEFAULT_COLOURS[index % DEFAULT_COLOURS.length]!,
    ]),
  );
}

/** The colour of a name, or the nearest colour to `#RRGGBB`. */
function nearestColour(text: string): Colour | undefined {
  if (!/^#[0-9a-f]{6}$/i.test(text)) return colourNamed(text);
  const wanted = channels(text);
  const distance = (colour: Colour): number =>
    channels(COLOURS[colour]).reduce((sum, value, place) => sum + (value - wanted[place]!) ** 2, 0);
  return NAMES.reduce((nearest, colour) => (distance(colour) < distance(nearest) ? colour : nearest));
}

/** The first colour that one or two adjacent words of a team's name spell. */
function colourInName(name: string): Colour | undefined {
  const words = nameKey(name)
    .split(/[^a-z]+/)
    .slice(0, 12);
  const pairs = words.map((word, index) => `${word}-${words[index + 1] ?? ''}`);
  return [...pairs, ...words].map(colourNamed).find((colour) => colour !== undefined);
}

/** The CSS rules of the classes `c-NAME`: the colour, and a text colour that is readable on it. */
export function colourRules(): string {
  return Object.entries(COLOURS)
    .map(([name, colour]) => `.c-${name}{--c:${colour};--c-ink:${inkOn(colour)}}`)
    .join('\n');
}

const HUES = 12;

/** The class of a hue derived from a name: the same name always has the same hue. */
export function hueClass(name: string): string {
  let sum = 7;
  for (const character of name.slice(0, 64)) sum = (sum * 31 + character.codePointAt(0)!) % 9973;
  return `hue-${sum % HUES}`;
}

const hueDegrees = (hue: number): number => (hue * 360) / HUES + 12;

/** The foreground and background of a hue class on dark pages. */
export function hueColours(name: string): { front: string; behind: string } {
  const degrees = hueDegrees(Number(name.slice('hue-'.length)));
  return { front: hsl(degrees, 0.55, 0.66), behind: hsl(degrees, 0.3, 0.22) };
}

/** The CSS rules of the hue classes, for light and dark pages. */
export function hueRules(): string {
  return Array.from({ length: HUES }, (_, hue) => {
    const degrees = hueDegrees(hue);
    const { front, behind } = hueColours(`hue-${hue}`);
    const [lightFront, lightBehind] = [hsl(degrees, 0.55, 0.4), hsl(degrees, 0.5, 0.91)];
    return `.hue-${hue}{--h:light-dark(${lightFront},${front});--h-back:light-dark(${lightBehind},${behind})}`;
  }).join('\n');
}

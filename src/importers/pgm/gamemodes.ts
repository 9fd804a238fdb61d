import { type Gamemode, GAMEMODE_NAMES, type GamemodeKind, GAMEMODES } from '#store/game/statistics-groups.ts';
import { fit } from '../text.ts';
import { membersOf } from './members.ts';
import type { Values } from './substitute.ts';
import { isNewer } from './versions.ts';
import { elementsOf, type XmlElement } from './xml.ts';

/** Rules of PGM that decide in addition to the elements of a gamemode, or without any. */
const RULES: Partial<Record<Gamemode, (values: Values, found: ReadonlySet<Gamemode>) => boolean>> = {
  // PGM shows control points and hills under one tag, and control points win.
  koth: (_values, found) => !found.has('cp'),
  tdm: killsScore,
  ffa: hasNoTeams,
};

const NAMES_OF_ELEMENTS: ReadonlySet<string> = new Set(GAMEMODE_NAMES.flatMap((mode) => GAMEMODES[mode].elements));

/**
 * The modes in `<gamemode>`, otherwise the modes of the map's modules. Only children of `<map>` are modules; deeper
 * elements of the same names are filters and conditions.
 */
export function gamemodesOf(values: Values): string[] {
  const raw = elementsOf(values.root, 'gamemode').flatMap((element) => values.text(element).split(','));
  const modes = raw.map((mode) => mode.trim().toLowerCase()).filter((mode) => mode !== '');
  return modes.length > 0 ? [...new Set(modes)] : derived(values);
}

function derived(values: Values): string[] {
  const found = new Set<Gamemode>();
  for (const mode of GAMEMODE_NAMES) {
    const rule = RULES[mode];
    if (isPresent(values.root, mode) && (rule === undefined || rule(values, found))) found.add(mode);
  }
  return [...found];
}

function isPresent(root: XmlElement, mode: Gamemode): boolean {
  const { elements, holds }: GamemodeKind = GAMEMODES[mode];
  if (elements.length === 0) return mode in RULES;
  return elementsOf(root, ...elements).some((element) => holds.length === 0 || contains(element, holds));
}

function contains(element: XmlElement, names: readonly string[]): boolean {
  return element.children.some(
    (node) => node.kind === 'element' && (names.includes(node.name) || (isGroup(node) && contains(node, names))),
  );
}

function isGroup({ name }: XmlElement): boolean {
  return name === 'hills' || NAMES_OF_ELEMENTS.has(name);
}

/** Before this version of the map format, kills and deaths count one point unless the map says otherwise. */
const DEFAULT_SCORES_TO_ZERO = '1.3.6';

/**
 * PGM's ScoreModule: a score alone is no deathmatch, since points may come from goals, flags or score boxes. The last
 * `<score>` decides.
 */
function killsScore(values: Values): boolean {
  const score = elementsOf(values.root, 'score').at(-1)!;
  const proto = values.attribute(values.root, 'proto') ?? '';
  const isOld = isNewer(DEFAULT_SCORES_TO_ZERO, proto) && elementsOf(score, 'king').length === 0;
  return ['kills', 'deaths'].some((name) => pointsIn(score, name, isOld ? 1 : 0, values) !== 0);
}

function pointsIn(score: XmlElement, name: string, otherwise: number, values: Values): number {
  const [element] = elementsOf(score, name);
  if (element === undefined) return otherwise;
  const text = values.text(element);
  if (/^[+-]?\d+$/.test(text)) return Number(text);
  values.note(element, `"${fit(text, 32)}" is not a number of points; ${otherwise} is used instead`);
  return otherwise;
}

/** PGM's FreeForAllModule: a map without teams is free for all, with or without `<players>`. */
function hasNoTeams(values: Values): boolean {
  return membersOf(values.root, 'teams', 'team').length === 0;
}

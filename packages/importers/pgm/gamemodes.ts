import type { NetworkLookup } from '../core.ts';
import { fit } from '../../text/line.ts';
import { membersOf } from './members.ts';
import type { Values } from './substitute.ts';
import { isNewer } from './versions.ts';
import { elementsOf, type XmlElement } from './xml.ts';

/** Rules of PGM that decide in addition to the elements of a gamemode, or without any. */
const RULES: Readonly<Record<string, (values: Values, found: ReadonlySet<string>) => boolean>> = {
  // PGM shows control points and hills under one tag, and control points win.
  koth: (_values, found) => !found.has('cp'),
  tdm: killsScore,
  ffa: hasNoTeams,
};

type Gamemodes = NetworkLookup['gamemodes'];

/**
 * The modes in `<gamemode>`, otherwise the modes of the map's modules. Only children of `<map>` are modules; deeper
 * elements of the same names are filters and conditions.
 */
export function gamemodesOf(values: Values, gamemodes: Gamemodes): string[] {
  const raw = elementsOf(values.root, 'gamemode').flatMap((element) => values.text(element).split(','));
  const modes = raw.map((mode) => mode.trim().toLowerCase()).filter((mode) => mode !== '');
  return modes.length > 0 ? [...new Set(modes)] : derived(values, gamemodes);
}

function derived(values: Values, gamemodes: Gamemodes): string[] {
  const groups = new Set(['hills', ...Object.values(gamemodes).flatMap(({ elements }) => elements)]);
  const found = new Set<string>();
  for (const [mode, { elements, holds }] of Object.entries(gamemodes)) {
    const rule = RULES[mode];
    const isPresent =
      elements.length === 0
        ? rule !== undefined
        : elementsOf(values.root, ...elements).some((one) => holds.length === 0 || contains(one, holds, groups));
    if (isPresent && (rule === undefined || rule(values, found))) found.add(mode);
  }
  return [...found];
}

/** Whether an element has one of these names inside, possibly in nested groups. */
function contains({ children }: XmlElement, names: readonly string[], groups: ReadonlySet<string>): boolean {
  return children.some(
    (node) =>
      node.kind === 'element' &&
      (names.includes(node.name) || (groups.has(node.name) && contains(node, names, groups))),
  );
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

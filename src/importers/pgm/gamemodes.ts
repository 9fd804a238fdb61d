import { fit } from '../text.ts';
import { membersOf } from './members.ts';
import type { Values } from './substitute.ts';
import { isNewer } from './versions.ts';
import { elementsOf, type XmlElement } from './xml.ts';

interface Module {
  mode: string;
  elements: string[];
  /** Elements of which at least one must be inside, possibly in nested groups. Without it, the element alone counts. */
  holds?: string[];
  /** A rule of PGM that decides instead of the elements alone. */
  when?: (values: Values, found: ReadonlySet<string>) => boolean;
}

/** The gamemode of each PGM module, in the order of the list of modes: PGM lists blitz, ffa and rage after goals. */
const MODULES: readonly Module[] = [
  { mode: 'ctw', elements: ['wools'], holds: ['wool'] },
  { mode: 'dtc', elements: ['cores'], holds: ['core'] },
  { mode: 'dtm', elements: ['destroyables'], holds: ['destroyable'] },
  { mode: 'ctf', elements: ['flags'], holds: ['flag'] },
  { mode: 'cp', elements: ['control-points', 'controlpoints'], holds: ['control-point', 'controlpoint'] },
  // PGM shows control points and hills under one tag, and control points win.
  { mode: 'koth', elements: ['king'], holds: ['hill'], when: (_values, found) => !found.has('cp') },
  { mode: 'payload', elements: ['payloads'], holds: ['payload'] },
  { mode: 'tdm', elements: ['score'], when: killsScore },
  { mode: 'blitz', elements: ['blitz'] },
  { mode: 'ffa', elements: [], when: hasNoTeams },
  { mode: 'rage', elements: ['rage'] },
  { mode: 'bowspleef', elements: ['bowspleef'] },
  { mode: 'tntrun', elements: ['tntrun'] },
  { mode: 'paintball', elements: ['paintball'] },
  { mode: 'splatt', elements: ['splatt'] },
];

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
  const found = new Set<string>();
  for (const module of MODULES) {
    const { mode, elements, when = () => true } = module;
    if ((elements.length === 0 || isPresent(values.root, module)) && when(values, found)) found.add(mode);
  }
  return [...found];
}

function isPresent(root: XmlElement, { elements, holds }: Module): boolean {
  return elementsOf(root, ...elements).some((element) => holds === undefined || contains(element, holds));
}

function contains(element: XmlElement, names: string[]): boolean {
  return element.children.some(
    (node) => node.kind === 'element' && (names.includes(node.name) || (isGroup(node) && contains(node, names))),
  );
}

function isGroup({ name }: XmlElement): boolean {
  return name === 'hills' || MODULES.some(({ elements }) => elements.includes(name));
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

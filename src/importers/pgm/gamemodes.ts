import type { Values } from './substitute.ts';
import { elementsOf, type XmlElement } from './xml.ts';

interface Module {
  mode: string;
  elements: string[];
  /** Elements of which at least one must be inside, possibly in nested groups. Without it, the element alone counts. */
  holds?: string[];
}

/** The gamemode of each PGM module, in the order of the list of modes. */
const MODULES: readonly Module[] = [
  { mode: 'ctw', elements: ['wools'], holds: ['wool'] },
  { mode: 'dtc', elements: ['cores'], holds: ['core'] },
  { mode: 'dtm', elements: ['destroyables'], holds: ['destroyable'] },
  { mode: 'ctf', elements: ['flags'], holds: ['flag'] },
  { mode: 'cp', elements: ['control-points', 'controlpoints'], holds: ['control-point', 'controlpoint'] },
  { mode: 'koth', elements: ['king'], holds: ['hill'] },
  { mode: 'payload', elements: ['payloads'], holds: ['payload'] },
  { mode: 'tdm', elements: ['score'] },
  { mode: 'blitz', elements: ['blitz'] },
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
  return modes.length > 0 ? [...new Set(modes)] : derived(values.root);
}

function derived(root: XmlElement): string[] {
  return MODULES.filter(({ elements, holds }) =>
    elementsOf(root, ...elements).some((element) => holds === undefined || contains(element, holds)),
  ).map(({ mode }) => mode);
}

function contains(element: XmlElement, names: string[]): boolean {
  return element.children.some(
    (node) => node.kind === 'element' && (names.includes(node.name) || (isGroup(node) && contains(node, names))),
  );
}

function isGroup({ name }: XmlElement): boolean {
  return name === 'hills' || MODULES.some(({ elements }) => elements.includes(name));
}

import { ImportRefusal } from '../finding.ts';
import { oneLine } from '../../text/line.ts';
import { holds, type ConditionContext } from './conditions.ts';
import type { Includes } from './includes.ts';
import { elementsOf, textOf, type XmlElement, type XmlNode } from './xml.ts';

/** One variant of a map, with conditions evaluated, includes inserted and constants collected. */
export interface Processed {
  root: XmlElement;
  constants: ReadonlyMap<string, string | null>;
  /** Includes that are not in the folder or cannot be read. */
  missing: string[];
}

export const DEFAULT_VARIANT = 'default';

/** Bounds the size of a map with nested includes; each variant is another copy. */
const MAX_NODES = 100_000;
const MAX_INCLUDE_DEPTH = 8;

export type Notes = (place: string, note: string) => void;

interface PreprocessContext extends ConditionContext {
  constants: Map<string, string | null>;
  includes: Includes;
  mapFolder: string;
  missing: string[];
  notes: Notes;
  nodes: number;
  /** The number of nodes that come from includes. */
  included: number;
}

/** Expands includes, conditions and constants as PGM does, in document order. @throws ImportRefusal */
export async function preprocess(
  root: XmlElement,
  variant: string,
  includes: Includes,
  mapFolder: string,
  notes: Notes,
): Promise<Processed> {
  const variants = new Set([DEFAULT_VARIANT, ...variantIds(root)]);
  const work: PreprocessContext = {
    variant,
    variants,
    constants: new Map(),
    includes,
    mapFolder,
    missing: [],
    notes,
    nodes: 0,
    included: 0,
  };
  const global = includes.global();
  const children = global === undefined ? [] : await expandFile(global, [], work);
  children.push(...(await expand(root, [], work)));
  return { root: { ...root, children }, constants: work.constants, missing: work.missing };
}

export function variantIds(root: XmlElement): string[] {
  const ids = elementsOf(root, 'variant').map(({ attributes }) => attributes.get('id'));
  return [...new Set(ids.filter((id) => id !== undefined && id !== DEFAULT_VARIANT))] as string[];
}

export function placeOf(element: XmlElement): string {
  return element.source === '' ? `line ${element.line}` : `${element.source}, line ${element.line}`;
}

async function expand(parent: XmlElement, path: string[], work: PreprocessContext): Promise<XmlNode[]> {
  const children: XmlNode[] = [];
  for (const node of parent.children) {
    if (path.length > 0) work.included++;
    if (++work.nodes > MAX_NODES) throw new ImportRefusal(tooManyNodes(work));
    if (node.kind !== 'element') children.push(node);
    else children.push(...(await expandElement(node, parent, path, work)));
  }
  return children;
}

function tooManyNodes({ nodes, included }: PreprocessContext): string {
  if (included > nodes / 2) return 'becomes too large through its includes';
  return `has more than ${MAX_NODES} elements, comments and pieces of text`;
}

async function expandElement(
  element: XmlElement,
  parent: XmlElement,
  path: string[],
  work: PreprocessContext,
): Promise<XmlNode[]> {
  if (element.name === 'include') return expandInclude(element, path, work);
  if (element.name === 'if') return decide(element, work) === true ? expand(element, path, work) : [];
  if (element.name === 'unless') return decide(element, work) === false ? expand(element, path, work) : [];
  if (element.name === 'constant') {
    readConstant(element, parent, work);
    return [];
  }
  return [{ ...element, children: await expand(element, path, work) }];
}

function decide(element: XmlElement, work: PreprocessContext): boolean | undefined {
  const answer = holds(element, work);
  if (typeof answer === 'boolean') return answer;
  work.notes(placeOf(element), `${answer.problem}; its content is left out`);
  return undefined;
}

async function expandInclude(element: XmlElement, path: string[], work: PreprocessContext): Promise<XmlNode[]> {
  const name = element.attributes.get('id') ?? element.attributes.get('src') ?? '';
  const file = work.includes.find(element, work.mapFolder);
  if (file !== undefined) return expandFile(file, path, work, element);
  work.missing.push(name);
  work.notes(placeOf(element), `include "${name}" is not in the folder; its content is missing`);
  return [];
}

async function expandFile(file: string, path: string[], work: PreprocessContext, by?: XmlElement): Promise<XmlNode[]> {
  const place = by ? placeOf(by) : '';
  if (path.includes(file) || path.length === MAX_INCLUDE_DEPTH) {
    work.notes(
      place,
      `include ${file} ${path.includes(file) ? 'includes itself' : 'is nested too deeply'} and is left out`,
    );
    return [];
  }
  try {
    return await expand(await work.includes.read(file), [...path, file], work);
  } catch (error) {
    if (!(error instanceof ImportRefusal) || error.place === '') throw error;
    work.missing.push(file);
    work.notes(place, `include ${error.place}: ${error.message}; its content is missing`);
    return [];
  }
}

/** The later definition wins, unless it is a fallback. Constants inherit the attributes of `<constants>`. */
function readConstant(element: XmlElement, parent: XmlElement, work: PreprocessContext): void {
  const id = element.attributes.get('id');
  if (id === undefined) return work.notes(placeOf(element), '<constant> has no id and is left out');
  const attribute = (name: string) =>
    element.attributes.get(name) ?? (parent.name === 'constants' ? parent.attributes.get(name) : undefined);
  if (isTrue(attribute('fallback')) && work.constants.has(id)) return;
  work.constants.set(id, isTrue(attribute('delete')) ? null : oneLine(textOf(element)));
}

export function isTrue(value: string | undefined): boolean {
  return value !== undefined && ['true', 'yes', 'on'].includes(value.trim().toLowerCase());
}

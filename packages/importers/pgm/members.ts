import { elementsOf, type XmlComment, type XmlElement, type XmlNode } from './xml.ts';

export interface Member {
  element: XmlElement;
  /** The comment of the element, or empty. */
  comment: string;
}

/**
 * The elements named `member` in groups named `group`, flattened as in PGM: groups may repeat and nest, and members
 * inherit their attributes. Members outside any group come last; PGM does not allow them, but their meaning is clear.
 */
export function membersOf(root: XmlElement, group: string, member: string): Member[] {
  const grouped = elementsOf(root, group).flatMap((element) => inGroup(element, group, member));
  return [...grouped, ...inGroup(root, '', member)];
}

function inGroup(group: XmlElement, name: string, member: string): Member[] {
  const nodes = group.children.filter((node) => node.kind !== 'text' || node.text.trim() !== '');
  const placement = findPlacement(nodes, member);
  return nodes.flatMap((node, index) => {
    if (node.kind !== 'element' || (node.name !== name && node.name !== member)) return [];
    const attributes = name === '' ? node.attributes : new Map([...group.attributes, ...node.attributes]);
    const element = { ...node, attributes };
    return node.name === member
      ? [{ element, comment: findComment(nodes, index, placement) }]
      : inGroup(element, name, member);
  });
}

/** The position of comments on separate lines relative to their element: -1 above, 1 below, 0 if they name no element. */
type Placement = -1 | 0 | 1;

/** Comments on separate lines name members only if each member has one and each comment looks like a player name. */
function findPlacement(nodes: XmlNode[], member: string): Placement {
  const kinds = nodes.map((node) =>
    node.kind === 'comment' && /^\s*\w{1,16}\s*$/.test(node.text) ? 'c' : nodeKind(node, member),
  );
  if (/^(cm)+$/.test(kinds.join(''))) return -1;
  return /^(mc)+$/.test(kinds.join('')) ? 1 : 0;
}

function nodeKind(node: XmlNode, member: string): string {
  return node.kind === 'element' && node.name === member ? 'm' : '?';
}

/** The comment inside the element, after it on its line, before it on its line, or on a separate line, in this order. */
function findComment(nodes: XmlNode[], index: number, placement: Placement): string {
  const element = nodes[index] as XmlElement;
  const inside = element.children.find((node) => node.kind === 'comment');
  const comment = inside ?? commentAfter(nodes, index) ?? commentBefore(nodes, index) ?? nodes[index + placement];
  const text = comment?.kind === 'comment' ? comment.text.trim() : '';
  return /[<>]/.test(text) ? '' : text;
}

function commentAfter(nodes: XmlNode[], index: number): XmlComment | undefined {
  const next = nodes[index + 1];
  return next?.kind === 'comment' && next.line === (nodes[index] as XmlElement).endLine ? next : undefined;
}

/** A comment that follows another element on the same line belongs to that element. */
function commentBefore(nodes: XmlNode[], index: number): XmlComment | undefined {
  const [owner, nearest] = [nodes[index - 2], nodes[index - 1]];
  if (nearest?.kind !== 'comment' || nearest.line !== (nodes[index] as XmlElement).line) return undefined;
  return owner?.kind === 'element' && owner.endLine === nearest.line ? undefined : nearest;
}

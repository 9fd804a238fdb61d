import { elementsOf, type XmlComment, type XmlElement, type XmlNode } from './xml.ts';

export interface Member {
  element: XmlElement;
  /** What is written beside it. */
  comment: string;
}

/**
 * The elements of one kind in groups of another, as PGM flattens them: groups may stand several times and inside each
 * other, and what a group says in attributes holds for its members. Members that stand in no group come last: not PGM's
 * form, but clear.
 */
export function membersOf(root: XmlElement, group: string, member: string): Member[] {
  const grouped = elementsOf(root, group).flatMap((element) => inGroup(element, group, member));
  return [...grouped, ...inGroup(root, '', member)];
}

function inGroup(group: XmlElement, name: string, member: string): Member[] {
  const nodes = group.children.filter((node) => node.kind !== 'text' || node.text.trim() !== '');
  const placement = placementOf(nodes, member);
  return nodes.flatMap((node, index) => {
    if (node.kind !== 'element' || (node.name !== name && node.name !== member)) return [];
    const attributes = name === '' ? node.attributes : new Map([...group.attributes, ...node.attributes]);
    const element = { ...node, attributes };
    return node.name === member
      ? [{ element, comment: commentOf(nodes, index, placement) }]
      : inGroup(element, name, member);
  });
}

/** Where comments that fill lines of their own stand to what they name: -1 above, 1 below, 0 where they name nothing. */
type Placement = -1 | 0 | 1;

/** Such comments name members only where each member has one, and each looks like a player's name. */
function placementOf(nodes: XmlNode[], member: string): Placement {
  const kinds = nodes.map((node) =>
    node.kind === 'comment' && /^\s*\w{1,16}\s*$/.test(node.text) ? 'c' : kindOf(node, member),
  );
  if (/^(cm)+$/.test(kinds.join(''))) return -1;
  return /^(mc)+$/.test(kinds.join('')) ? 1 : 0;
}

function kindOf(node: XmlNode, member: string): string {
  return node.kind === 'element' && node.name === member ? 'm' : '?';
}

/** A comment inside the element, behind it on its line, before it on its line, or else on a line of its own. */
function commentOf(nodes: XmlNode[], index: number, placement: Placement): string {
  const element = nodes[index] as XmlElement;
  const inside = element.children.find((node) => node.kind === 'comment');
  const comment = inside ?? behind(nodes, index) ?? before(nodes, index) ?? nodes[index + placement];
  const text = comment?.kind === 'comment' ? comment.text.trim() : '';
  return /[<>]/.test(text) ? '' : text;
}

function behind(nodes: XmlNode[], index: number): XmlComment | undefined {
  const next = nodes[index + 1];
  return next?.kind === 'comment' && next.line === (nodes[index] as XmlElement).endLine ? next : undefined;
}

/** One that stands behind another element of the line is that one's. */
function before(nodes: XmlNode[], index: number): XmlComment | undefined {
  const [owner, nearest] = [nodes[index - 2], nodes[index - 1]];
  if (nearest?.kind !== 'comment' || nearest.line !== (nodes[index] as XmlElement).line) return undefined;
  return owner?.kind === 'element' && owner.endLine === nearest.line ? undefined : nearest;
}

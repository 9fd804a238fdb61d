import { elementsOf, type XmlComment, type XmlElement } from './xml.ts';

export interface Member {
  element: XmlElement;
  /** What is written beside it on the same line. */
  comment: string;
}

/**
 * The elements of one kind in groups of another, as PGM flattens them: groups may stand several times and inside each
 * other, and what a group says in attributes holds for its members.
 */
export function membersOf(root: XmlElement, group: string, member: string): Member[] {
  return [...elementsOf(root, group).flatMap((element) => inGroup(element, group, member)), ...loose(root, member)];
}

/** Members that stand in no group: not PGM's form, but clear. */
function loose(root: XmlElement, member: string): Member[] {
  return elementsOf(root, member).map((element) => ({ element, comment: commentBeside(element, root) }));
}

function inGroup(group: XmlElement, name: string, member: string): Member[] {
  return elementsOf(group, name, member).flatMap((child) => {
    const attributes = new Map([...group.attributes, ...child.attributes]);
    const element = { ...child, attributes };
    return child.name === name ? inGroup(element, name, member) : [{ element, comment: commentBeside(child, group) }];
  });
}

/** A comment inside the element, behind it, or else before it, as long as it is on its line and nothing is between. */
function commentBeside(element: XmlElement, parent: XmlElement): string {
  const inside = element.children.find((node) => node.kind === 'comment');
  const at = parent.children.indexOf(element);
  const comment = inside ?? behind(element, parent, at) ?? before(element, parent, at);
  const text = comment?.text.trim() ?? '';
  return /[<>]/.test(text) ? '' : text;
}

function behind(element: XmlElement, parent: XmlElement, at: number): XmlComment | undefined {
  const next = parent.children.slice(at + 1, at + 3).find((node) => node.kind !== 'text' || node.text.trim() !== '');
  return next?.kind === 'comment' && next.line === element.endLine ? next : undefined;
}

function before(element: XmlElement, parent: XmlElement, at: number): XmlComment | undefined {
  const nearest = parent.children
    .slice(Math.max(0, at - 2), at)
    .findLast((node) => node.kind !== 'text' || node.text.trim() !== '');
  if (nearest?.kind !== 'comment' || nearest.line !== element.line) return undefined;
  const owner = parent.children.slice(0, parent.children.indexOf(nearest)).findLast((node) => node.kind === 'element');
  return owner?.kind === 'element' && owner.endLine === nearest.line ? undefined : nearest;
}

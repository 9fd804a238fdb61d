// Checks that imports between two folders of `src` go one way.

import type { Graph } from './imports.ts';

/**
 * One sentence for each violation of these rules:
 *
 * - Sibling folders, which have the same parent, never import each other both ways, subfolders included.
 * - A folder and its subfolder, if the subfolder imports files that lie directly in the folder: then only one of these
 *   files imports from the subfolder, the one that lists its contents (routes, handlers, tables). A subfolder that imports
 *   nothing of its parent is a lower layer, which every file of the folder may import.
 */
export const folderProblems = (graph: Graph): string[] => [...twoWaySiblings(graph), ...twoWaySubfolders(graph)];

function twoWaySiblings(graph: Graph): string[] {
  /** An example of an import for each pair of folders. */
  const imports = new Map<string, string>();
  for (const [file, target] of importsIn(graph)) {
    const { parent, from, to } = splitPaths(file, target);
    if (from && to) imports.set(`${parent}${from} and ${parent}${to}`, `${file} -> ${target}`);
  }
  return [...imports].flatMap(([pair, example]) => {
    const [one, other] = pair.split(' and ') as [string, string];
    const back = imports.get(`${other} and ${one}`);
    return one < other && back ? `${pair} import each other:\n  ${example}\n  ${back}` : [];
  });
}

function twoWaySubfolders(graph: Graph): string[] {
  /** The files of the parent that import from each subfolder. */
  const importers = new Map<string, Set<string>>();
  /** An example of an import of a file in the parent for each subfolder. */
  const upward = new Map<string, string>();
  for (const [file, target] of importsIn(graph)) {
    const { parent, from, to } = splitPaths(file, target);
    if (!from && to) importers.set(`${parent}${to}`, (importers.get(`${parent}${to}`) ?? new Set()).add(file));
    if (from && !to) upward.set(`${parent}${from}`, `${file} -> ${target}`);
  }
  return [...importers].flatMap(([folder, files]) => {
    const example = upward.get(folder);
    return files.size > 1 && example
      ? `${folder} imports its parent (${example}) and is imported by ${[...files].join(', ')}`
      : [];
  });
}

const importsIn = (graph: Graph): [string, string][] =>
  [...graph].flatMap(([file, targets]) =>
    isSource(file) ? targets.map((target): [string, string] => [file, target]) : [],
  );

const isSource = (file: string): boolean => file.startsWith('src/');

/** The deepest folder that contains both files, and its subfolders that contain one of them; '' for a file directly in it. */
function splitPaths(file: string, target: string): { parent: string; from: string; to: string } {
  const [one, other] = [file.split('/'), target.split('/')];
  let depth = 0;
  while (depth < one.length - 1 && one[depth] === other[depth]) depth++;
  const parent = one.slice(0, depth).map((name) => `${name}/`);
  return {
    parent: parent.join(''),
    from: one.at(depth + 1) ? one[depth]! : '',
    to: other.at(depth + 1) ? other[depth]! : '',
  };
}

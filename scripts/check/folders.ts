// Checks that imports between folders go one way; the rules are in layers.ts.

import type { Graph } from './imports.ts';
import { TWO_WAY_SIBLINGS, TWO_WAY_SUBFOLDERS } from './layers.ts';

/** One sentence for each pair of folders that import each other, and for each listed pair that no longer does. */
export function folderProblems(graph: Graph, siblings = TWO_WAY_SIBLINGS, subfolders = TWO_WAY_SUBFOLDERS): string[] {
  return [
    ...compare('TWO_WAY_SIBLINGS', twoWaySiblings(graph), siblings),
    ...compare('TWO_WAY_SUBFOLDERS', twoWaySubfolders(graph), subfolders),
  ];
}

/** Problems by the name of the violation in its list. */
type Violations = ReadonlyMap<string, string>;

const compare = (list: string, found: Violations, listed: readonly string[]): string[] => [
  ...[...found].filter(([name]) => !listed.includes(name)).map(([, problem]) => problem),
  ...listed.filter((name) => !found.has(name)).map((name) => `${name} is fine: remove it from ${list} (layers.ts)`),
];

function twoWaySiblings(graph: Graph): Violations {
  /** An example of an import for each pair of folders. */
  const imports = new Map<string, string>();
  for (const [file, target] of importsIn(graph)) {
    const { parent, from, to } = splitPaths(file, target);
    if (from && to) imports.set(`${parent}${from} and ${parent}${to}`, `${file} -> ${target}`);
  }
  const violations = new Map<string, string>();
  for (const [pair, example] of imports) {
    const [one, other] = pair.split(' and ') as [string, string];
    const back = imports.get(`${other} and ${one}`);
    if (one < other && back) violations.set(pair, `${pair} import each other:\n  ${example}\n  ${back}`);
  }
  return violations;
}

function twoWaySubfolders(graph: Graph): Violations {
  /** The files of the parent that import from each subfolder. */
  const importers = new Map<string, Set<string>>();
  /** An example of an import of a file in the parent for each subfolder. */
  const upward = new Map<string, string>();
  for (const [file, target] of importsIn(graph)) {
    const { parent, from, to } = splitPaths(file, target);
    if (!from && to) importers.set(`${parent}${to}`, (importers.get(`${parent}${to}`) ?? new Set()).add(file));
    if (from && !to) upward.set(`${parent}${from}`, `${file} -> ${target}`);
  }
  const violations = new Map<string, string>();
  for (const [folder, files] of importers) {
    const example = upward.get(folder);
    if (files.size > 1 && example)
      violations.set(folder, `${folder} imports its parent (${example}) and is imported by ${[...files].join(', ')}`);
  }
  return violations;
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

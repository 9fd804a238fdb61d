// Checks the structure of the tree: import cycles, imports that point up, folders that import each other, refused names,
// and markers of a merge that was not resolved.
//
//   node scripts/check/structure.ts [DIR]       all rules, for this tree or the one in DIR
//   node scripts/check/structure.ts --cycles    one rule: --cycles, --imports, --folders, --names or --markers

import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { folderProblems } from './folders.ts';
import { type Graph, cyclesOf, graphOf } from './imports.ts';
import { LAYERS, PACKAGES, PACKAGES_IMPORTED_BY } from './layers.ts';
import { nameProblems } from './names.ts';

const ALL = '{src,packages,demo,bench,loadtest,test,scripts}';

const RULES: Record<string, (root: string) => string[]> = {
  cycles: (root) => cycleProblems(graphOf(root, filesOf(root, `${ALL}/**/*.ts`))),
  imports: (root) => importProblems(graphOf(root, filesOf(root, `${ALL}/**/*.ts`))),
  folders: (root) => folderProblems(graphOf(root, filesOf(root, 'src/**/*.ts'))),
  names: (root) => filesOf(root, `${ALL}/**/*`).flatMap((file) => nameProblems(file, sourceOf(root, file))),
  markers: (root) => filesOf(root, `{*.md,docs/**/*.md,${ALL}/**/*}`).flatMap((file) => markerProblem(root, file)),
};

/** One sentence for each problem of the tree in `root`. */
export function structureProblems(root: string, rules = Object.keys(RULES)): string[] {
  return rules.flatMap((rule) => RULES[rule]!(root));
}

function filesOf(root: string, pattern: string): string[] {
  const entries = globSync(pattern, { cwd: root, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return files.map((file) => relative(root, file).replaceAll('\\', '/')).toSorted();
}

/** The source of a TypeScript or JavaScript file; of other files only the path is checked. */
function sourceOf(root: string, file: string): string | undefined {
  return /\.(ts|mts|mjs|js)$/.test(file) ? readFileSync(join(root, file), 'utf8') : undefined;
}

/** Git puts these lines around the two sides of a conflict. */
function markerProblem(root: string, file: string): string[] {
  const isText = /\.(md|ts|mts|mjs|js|java|json|css|sql|yml|yaml|sh|py)$/.test(file);
  const line = isText
    ? readFileSync(join(root, file), 'utf8')
        .split('\n')
        .findIndex((text) => MARKER.test(text))
    : -1;
  return line < 0 ? [] : [`${file}, line ${line + 1} is a marker of an unresolved merge`];
}

const MARKER = /^(<{7}|>{7}) /;

function cycleProblems(graph: Graph): string[] {
  return cyclesOf(graph).map((cycle) => {
    const within = (file: string): string[] => graph.get(file)!.filter((to) => cycle.includes(to));
    const edges = cycle.map((file) => `  ${file} -> ${within(file).join(', ')}`);
    return ['A cycle of imports:', ...edges].join('\n');
  });
}

function importProblems(graph: Graph): string[] {
  return [...graph].flatMap(([from, targets]) =>
    isSource(from) ? [...layerProblems(from), ...targets.flatMap((to) => importProblem(from, to) ?? [])] : [],
  );
}

const isSource = (file: string): boolean => /^(src|packages|demo)\//.test(file);
const layerProblems = (file: string): string[] =>
  placeOf(file) === undefined ? [`${file} belongs to no layer of scripts/check/layers.ts`] : [];

function importProblem(from: string, to: string): string | undefined {
  const [source, target] = [placeOf(from), placeOf(to)];
  if (source === undefined || source.folder === target?.folder) return undefined;
  if (target === undefined) return `${from} imports ${to}, which is not part of the service`;
  if (target.folder === PACKAGES)
    return PACKAGES_IMPORTED_BY.includes(source.folder) ? undefined : `${from} imports the package ${to}`;
  if (source.folder === PACKAGES) return `${from} imports ${to}, but a package imports nothing of the service`;
  if (source.layer === target.layer) return `${from} imports ${to} of the same layer`;
  return source.layer > target.layer ? `${from} imports ${to} of a layer above` : undefined;
}

/** The layer of a file, from 0 at the top, and the layer's folder that contains the file. */
interface Place {
  folder: string;
  layer: number;
}

function placeOf(file: string): Place | undefined {
  if (file.startsWith(PACKAGES)) return { folder: PACKAGES, layer: LAYERS.length };
  for (const [layer, folders] of LAYERS.entries()) {
    const folder = folders.find((path) => file.startsWith(path));
    if (folder !== undefined) return { folder, layer };
  }
  return undefined;
}

if (import.meta.main) {
  const options = Object.fromEntries(Object.keys(RULES).map((rule) => [rule, { type: 'boolean' as const }]));
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const root = positionals[0] ?? join(import.meta.dirname, '../..');
  const problems = structureProblems(root, Object.keys(values).length > 0 ? Object.keys(values) : undefined);
  for (const problem of problems) console.log(problem);
  if (problems.length > 0) process.exitCode = 1;
}

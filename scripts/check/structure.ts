// Checks the structure of the tree: import cycles, imports that point up, folders that import each other, refused names
// and phrases, and markers of a merge that was not resolved.
//
//   node scripts/check/structure.ts [DIR]       all rules, for this tree or the one in DIR
//   node scripts/check/structure.ts --cycles    one rule: --cycles, --imports, --folders, --names, --prose or --markers

import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { folderProblems } from './folders.ts';
import { type Graph, cyclesOf, graphOf } from './imports.ts';
import { LAYERS, PACKAGES, PACKAGES_IMPORTED_BY, SHARED } from './layers.ts';
import { nameProblems } from './names.ts';
import { proseProblems } from './prose.ts';

const ALL = '{src,packages,demo,bench,loadtest,test,scripts}';
/** Migrations are left out, because they never change. */
const PROSE = `{*.md,docs/**/*.md,deploy/**/{Containerfile,Caddyfile,*.{yml,yaml,conf,env,service,timer}},${ALL}/**/*.{ts,mts,mjs,js,java,css,md}}`;
/** Their comments are descriptions of the OpenAPI documents, which are not comments in their source. */
const GENERATED = ['packages/client/data-api.ts', 'packages/sender/ingest-api.ts'];

/** A tree of files, of which several rules need the imports. */
class Tree {
  readonly root: string;
  #graph: Graph | undefined;

  constructor(root: string) {
    this.root = root;
  }

  get graph(): Graph {
    this.#graph ??= graphOf(this.root, this.files(`${ALL}/**/*.ts`));
    return this.#graph;
  }

  files(pattern: string): string[] {
    const entries = globSync(pattern, { cwd: this.root, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    return files.map((file) => relative(this.root, file).replaceAll('\\', '/')).toSorted();
  }

  read(file: string): string {
    return readFileSync(join(this.root, file), 'utf8');
  }
}

const RULES: Record<string, (tree: Tree) => string[]> = {
  cycles: ({ graph }) => cycleProblems(graph),
  imports: ({ graph }) => importProblems(graph),
  folders: ({ graph }) => folderProblems(graph),
  names: (tree) => namedFiles(tree).flatMap((file) => nameProblems(file, readSource(tree, file))),
  prose: (tree) => proseProblems(proseFiles(tree), (file) => tree.read(file)),
  markers: (tree) => tree.files(`{*.md,docs/**/*.md,${ALL}/**/*}`).flatMap((file) => markerProblem(tree, file)),
};

/** Pictures have the names of what they show. */
const namedFiles = (tree: Tree): string[] => tree.files(`${ALL}/**/*`).filter((file) => !file.endsWith('.png'));

const proseFiles = (tree: Tree): string[] => tree.files(PROSE).filter((file) => !GENERATED.includes(file));

/** One sentence for each problem of the tree in `root`. */
export function structureProblems(root: string, rules = Object.keys(RULES)): string[] {
  const tree = new Tree(root);
  return rules.flatMap((rule) => RULES[rule]!(tree));
}

/** The source of a TypeScript or JavaScript file; of other files only the path is checked. */
function readSource(tree: Tree, file: string): string | undefined {
  return /\.(ts|mts|mjs|js)$/.test(file) ? tree.read(file) : undefined;
}

/** Git puts these lines around the two sides of a conflict. */
function markerProblem(tree: Tree, file: string): string[] {
  const isText = /\.(md|ts|mts|mjs|js|java|json|css|sql|yml|yaml|sh|py)$/.test(file);
  const line = isText
    ? tree
        .read(file)
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
  findLayer(file) === undefined ? [`${file} belongs to no layer of scripts/check/layers.ts`] : [];

function importProblem(from: string, to: string): string | undefined {
  const [source, target] = [findLayer(from), findLayer(to)];
  if (source === undefined || source.folder === target?.folder || target?.folder === SHARED) return undefined;
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

function findLayer(file: string): Place | undefined {
  for (const [layer, folders] of LAYERS.entries()) {
    const folder = folders.find((path) => file.startsWith(path));
    if (folder !== undefined) return { folder, layer };
  }
  return file.startsWith(PACKAGES) ? { folder: PACKAGES, layer: LAYERS.length } : undefined;
}

if (import.meta.main) {
  const options = Object.fromEntries(Object.keys(RULES).map((rule) => [rule, { type: 'boolean' as const }]));
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const root = positionals[0] ?? join(import.meta.dirname, '../..');
  const problems = structureProblems(root, Object.keys(values).length > 0 ? Object.keys(values) : undefined);
  for (const problem of problems) console.log(problem);
  if (problems.length > 0) process.exitCode = 1;
}

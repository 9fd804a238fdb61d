// Reads the import graph of the tree and finds its cycles.

import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { specifiersIn } from './source.ts';

/** Maps each file to the project files that it imports, type imports included. */
export type Graph = ReadonlyMap<string, readonly string[]>;

export function graphOf(root: string, files: readonly string[]): Graph {
  const { imports = {} } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { imports?: Aliases };
  const projectFiles = new Set(files);
  const importsOf = (file: string): string[] => {
    const targets = specifiersIn(file, readFileSync(join(root, file), 'utf8')).map((specifier) =>
      resolve(specifier, file, imports),
    );
    return [...new Set(targets)].filter((target) => target !== undefined && projectFiles.has(target)) as string[];
  };
  return new Map(files.map((file) => [file, importsOf(file)]));
}

type Aliases = Record<string, string>;

function resolve(specifier: string, file: string, aliases: Aliases): string | undefined {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(file), specifier);
  for (const [alias, target] of Object.entries(aliases)) {
    const [head = '', tail] = alias.split('*');
    if (tail === undefined ? specifier === alias : specifier.startsWith(head))
      return posix.normalize(target.replace('*', specifier.slice(head.length)));
  }
  return undefined;
}

/** Groups of files that reach each other: the strongly connected components with more than one member (Tarjan). */
export function cyclesOf(graph: Graph): string[][] {
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const cycles: string[][] = [];
  const visit = (file: string): void => {
    order.set(file, order.size);
    low.set(file, order.get(file)!);
    stack.push(file);
    for (const target of graph.get(file) ?? []) {
      if (!order.has(target)) visit(target);
      if (stack.includes(target)) low.set(file, Math.min(low.get(file)!, low.get(target)!));
    }
    if (low.get(file) !== order.get(file)) return;
    const component = stack.splice(stack.indexOf(file));
    if (component.length > 1 || graph.get(file)?.includes(file)) cycles.push(component.toSorted());
  };
  for (const file of graph.keys()) if (!order.has(file)) visit(file);
  return cycles.toSorted((a, b) => a[0]!.localeCompare(b[0]!));
}

// Lists the real types and members that the stubs of packages/ declare, from a clone of each project:
//
//   node scripts/java/list-types.ts pgm=~/PGM paper-26.2=~/Paper        (names: real-types.ts)
//
// The clone may be bare and at any commit that contains the one of the list.

import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { declarationsIn, type TypeDeclaration } from './declarations.ts';
import { type RealType, simpleName, type Source, SOURCES, writeList } from './real-types.ts';

const ROOT = join(import.meta.dirname, '../..');
export const LISTS = join(ROOT, 'test/packages/java');

/** The types of all stubs. */
export function stubs(): TypeDeclaration[] {
  const files = globSync('packages/*/stubs/**/*.java', { cwd: ROOT }).toSorted();
  return files.flatMap((file) => declarationsIn(readFileSync(join(ROOT, file), 'utf8')));
}

/** The sources of one project at its commit. */
class Project {
  readonly #source: Source;
  readonly #folder: string;
  readonly #files: ReadonlySet<string>;

  constructor(source: Source, folder: string) {
    this.#source = source;
    this.#folder = folder;
    this.#files = new Set(this.#git('ls-tree', '-r', '--name-only', source.commit).split('\n'));
  }

  /** The type with its ancestors, as far as this project declares them. */
  lineage(name: string): TypeDeclaration[] {
    const file = this.#fileOf(name);
    if (file === undefined) return [];
    const source = this.#git('show', `${this.#source.commit}:${file}`);
    const type = declarationsIn(source).find((each) => each.name === name);
    if (type === undefined) return [];
    const parents = type.supertypes.map((each) => fullName(each, source, name));
    return [type, ...parents.flatMap((parent) => this.lineage(parent))];
  }

  #fileOf(name: string): string | undefined {
    const outer = /^(?:[a-z]\w*\.)*\w+/.exec(name)![0].replaceAll('.', '/');
    return this.#source.roots.map((root) => `${root}/${outer}.java`).find((path) => this.#files.has(path));
  }

  #git(...args: string[]): string {
    return execFileSync('git', ['-C', this.#folder, ...args], { encoding: 'utf8', maxBuffer: 1 << 30 });
  }
}

/** By the imports of the file; else in the package of `from`, or nested in an outer type. */
function fullName(name: string, source: string, from: string): string {
  if (/^[a-z]/.test(name)) return name;
  const [outer = ''] = name.split('.');
  const imported = new RegExp(`^import ([\\w.]+\\.${outer});`, 'm').exec(source)?.[1];
  const folder = /^(?:[a-z]\w*\.)*/.exec(from)![0];
  return imported === undefined ? `${folder}${name}` : imported + name.slice(outer.length);
}

function realType(project: Project, stub: TypeDeclaration): RealType {
  const [type, ...ancestors] = project.lineage(stub.name);
  if (type === undefined) throw new Error(`There is no ${stub.name} at that commit.`);
  const names = new Set(stub.members.map(({ name }) => name));
  const inherited = ancestors.flatMap(({ members }) => members);
  const signatures = [...type.members, ...inherited]
    .filter(({ name }) => names.has(name))
    .map((each) => each.signature);
  const supertypes = [type, ...ancestors].flatMap((each) => each.supertypes.map(simpleName));
  return { name: type.name, kind: type.kind, supertypes: unique(supertypes), signatures: unique(signatures) };
}

const unique = (items: readonly string[]): string[] => [...new Set(items)].toSorted();

if (import.meta.main) {
  for (const [name, folder] of process.argv.slice(2).map((argument) => argument.split('=') as [string, string])) {
    const source = SOURCES.find((each) => each.name === name)!;
    const project = new Project(source, folder);
    const types = stubs().filter((stub) => stub.name.startsWith(source.prefix));
    writeFileSync(
      join(LISTS, `${name}.txt`),
      writeList(
        source,
        types.map((stub) => realType(project, stub)),
      ),
    );
  }
}

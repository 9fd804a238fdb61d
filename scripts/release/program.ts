import { existsSync, globSync } from 'node:fs';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { UsageError } from '#platform/errors.ts';
import { type Architecture, ARCHITECTURES, checkBinaries, filesIn } from './elf.ts';
import { sbomOf } from './sbom.ts';
import type { Source } from './source.ts';
import { run } from './tools.ts';

/** What an installation has of the source: no tests, no tools, no plugins in Java. */
const PARTS: readonly string[] = [
  ...['package.json', 'COMMIT', 'LICENSE', 'README.md', 'CHANGELOG.md', 'SECURITY.md', 'docs', 'deploy', 'demo', 'src'],
  ...['agent', 'dewdrop', 'importers', 'management', 'sender', 'text', 'watch'].map((name) => `packages/${name}`),
];
/** Only npm needs them. */
const FOR_NPM: readonly string[] = ['package-lock.json', '.npmrc'];
/** They keep settings and secrets out of commits. */
const FOR_GIT: readonly string[] = ['deploy/.gitignore', 'deploy/secrets'];

/** Installs the program with its modules and Node for an architecture into a new folder; beside it is the list of the modules. */
export async function makeProgram(source: Source, architecture: Architecture, target: string): Promise<void> {
  for (const path of [...PARTS, ...FOR_NPM])
    await cp(join(source.folder, path), join(target, path), { recursive: true });
  await installModules(target, architecture);
  await writeFile(`${target}.cdx.json`, await sbomOf(target, source));
  for (const path of [...FOR_NPM, ...FOR_GIT, 'deploy/debian']) await rm(join(target, path), { recursive: true });
  await removeUnused(join(target, 'node_modules'));
  checkBinaries(target, architecture);
}

/** As every installation does, for a platform that need not be that of this machine. */
export async function installModules(folder: string, architecture: Architecture): Promise<void> {
  const platform = ['--os=linux', `--cpu=${architecture}`, '--libc=glibc'];
  await run('npm', ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', ...platform], { cwd: folder });
}

/** Types, sources of compiled code, maps, pages about the module, settings of tools: Node reads none of them in modules. */
const UNREAD = /\.(map|ts|mts|cts|flow|markdown|html)$|(^|\/)\.(?!bin\/)/;
/** In the folder of a module; the code of a module is elsewhere. */
const UNREAD_FOLDERS = '{test,tests,__tests__,docs,example,examples,benchmark,benchmarks,.github}';
const LICENCE = /^(licen[cs]e|copying|notice|copyright|ofl)/i;

/** Removes what no module reads at run time. Every module keeps its licence, or else the README that may contain it. */
async function removeUnused(modules: string): Promise<void> {
  const found = [
    ...globSync('node-linux-*/{include,share,*.md}', { cwd: modules }),
    ...globSync(`{,@*/}*/${UNREAD_FOLDERS}`, { cwd: modules }),
    ...globSync('{@types,.bin/!(node)}', { cwd: modules }),
    // Links to the workspaces, which the program imports by their paths.
    ...globSync('scorehall-*', { cwd: modules }),
  ].map((path) => join(modules, path));
  const unread = filesIn(modules).filter((path) => UNREAD.test(relative(modules, path)) || isUnreadText(path));
  for (const path of [...found, ...unread]) await rm(path, { recursive: true, force: true });
}

function isUnreadText(path: string): boolean {
  if (!path.endsWith('.md') || LICENCE.test(basename(path))) return false;
  const isReadme = basename(path).toLowerCase() === 'readme.md';
  return !isReadme || globSync('*', { cwd: dirname(path) }).some((name) => LICENCE.test(name));
}

/**
 * Adds the one library of the system that Node needs and a minimal Debian lacks, from the machine of the release. The
 * command of the archive lets Node find it.
 */
export async function addLibrary(architecture: Architecture, target: string): Promise<void> {
  const { triplet } = ARCHITECTURES[architecture];
  const name = libraryPackage(architecture);
  const path = libraryPaths(triplet).find((path) => existsSync(path))!;
  await mkdir(join(target, 'lib'));
  await cp(path, join(target, 'lib/libatomic.so.1'), { dereference: true });
  await cp(`/usr/share/doc/${name}/copyright`, join(target, 'lib/libatomic.copyright'), { dereference: true });
  await cp(join(target, 'deploy/scorehall'), join(target, 'scorehall'));
  checkBinaries(join(target, 'lib'), architecture);
}

const libraryPaths = (triplet: string): string[] => [
  `/usr/lib/${triplet}/libatomic.so.1`,
  `/usr/${triplet}/lib/libatomic.so.1`,
];

const libraryPackage = (architecture: Architecture): string =>
  process.arch === architecture ? 'libatomic1' : `libatomic1-${ARCHITECTURES[architecture].debian}-cross`;

/** @throws UsageError that names the packages of Debian that this machine lacks */
export function checkLibraries(): void {
  const missing = (Object.keys(ARCHITECTURES) as Architecture[]).filter(
    (architecture) => !libraryPaths(ARCHITECTURES[architecture].triplet).some((path) => existsSync(path)),
  );
  if (missing.length > 0)
    throw new UsageError(
      `This machine lacks libatomic.so.1 for ${missing.join(' and ')}: apt-get install ${missing.map(libraryPackage).join(' ')}.`,
    );
}

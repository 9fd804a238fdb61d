// Makes the artefacts of a version from the commit that is checked out, into dist/: npm run release. The same commit gives
// the same bytes on the same machine.
//
//   npm run release                     all artefacts
//   npm run release -- --only tar,jars  some of them

import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { UsageError } from '#platform/errors.ts';
import { packFolder } from './archive.ts';
import { type Architecture, ARCHITECTURES } from './elf.ts';
import { makePackages } from './deb.ts';
import { makeContext } from './image.ts';
import { makeNpmPackages } from './npm-packages.ts';
import { buildPlugins, findJdk } from '../plugins.ts';
import { addLibrary, checkLibraries, makeProgram } from './program.ts';
import { exportSource, type Source } from './source.ts';
import { checkTools, type Tool } from './tools.ts';

const OUTPUT = join(import.meta.dirname, '../../dist');

/** What an artefact is made from and where. */
interface Build {
  source: Source;
  /** For files that are not artefacts. */
  work: string;
  /** The finished artefacts. */
  output: string;
  /** The folder of the program for an architecture. It is made once: copy it to change it. */
  program: (architecture: Architecture) => Promise<string>;
}

interface Artefact {
  tools: readonly Tool[];
  /** @throws UsageError about other things that this machine lacks */
  check?: () => unknown;
  make: (build: Build) => Promise<void>;
}

const ARTEFACTS: Record<string, Artefact> = {
  tar: { tools: ['npm', 'xz'], check: checkLibraries, make: makeArchives },
  deb: { tools: ['npm', 'dpkg-deb', 'chmod'], make: makeDebs },
  npm: { tools: ['npm'], make: ({ source, output }) => makeNpmPackages(source, output) },
  jars: { tools: [], check: () => findJdk(process.env), make: makeJars },
  sbom: { tools: ['npm'], make: copySboms },
  image: { tools: ['xz'], make: packContext },
};

const architectures = Object.keys(ARCHITECTURES) as Architecture[];

async function makeArchives({ source, work, output, program }: Build): Promise<void> {
  for (const architecture of architectures) {
    const name = `scorehall-${source.version}-linux-${architecture}`;
    await cp(await program(architecture), join(work, name), { recursive: true, verbatimSymlinks: true });
    await addLibrary(architecture, join(work, name));
    await packFolder(source, work, name, join(output, `${name}.tar.xz`));
  }
}

async function makeDebs({ source, work, output, program }: Build): Promise<void> {
  for (const architecture of architectures)
    await makePackages(source, architecture, { program: await program(architecture), work, output });
}

async function makeJars({ output }: Build): Promise<void> {
  await buildPlugins(await findJdk(process.env), output);
}

async function copySboms({ source, output, program }: Build): Promise<void> {
  for (const architecture of architectures)
    await cp(
      `${await program(architecture)}.cdx.json`,
      join(output, `scorehall-${source.version}-linux-${architecture}.cdx.json`),
    );
}

async function packContext({ source, work, output }: Build): Promise<void> {
  const name = `scorehall-${source.version}-image`;
  await makeContext(source, join(work, name));
  await packFolder(source, work, name, join(output, `${name}.tar.xz`));
}

function selected(args: string[]): Artefact[] {
  const { only } = parseArgs({ args, options: { only: { type: 'string' } } }).values;
  const names = only?.split(',') ?? Object.keys(ARTEFACTS);
  return names.map((name) => {
    if (Object.hasOwn(ARTEFACTS, name)) return ARTEFACTS[name]!;
    throw new UsageError(`There is no artefact "${name}". Choose from: ${Object.keys(ARTEFACTS).join(', ')}.`);
  });
}

async function release(artefacts: readonly Artefact[]): Promise<void> {
  checkTools(['git', 'tar', ...artefacts.flatMap(({ tools }) => tools)]);
  for (const { check } of artefacts) await check?.();
  await mkdir(OUTPUT, { recursive: true });
  const work = await mkdtemp(join(OUTPUT, '.release-'));
  try {
    const output = join(work, 'finished');
    await mkdir(output);
    const source = await exportSource(join(work, 'source'));
    const programs = new Map<Architecture, Promise<string>>();
    const program = async (architecture: Architecture): Promise<string> => {
      const folder = join(work, `program-${architecture}`);
      const made = programs.get(architecture) ?? makeProgram(source, architecture, folder).then(() => folder);
      programs.set(architecture, made);
      return await made;
    };
    for (const { make } of artefacts) await make({ source, work, output, program });
    await publish(output);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Moves the artefacts into dist/ with their checksums, once all of them are finished. */
async function publish(output: string): Promise<void> {
  const names = (await readdir(output)).toSorted();
  const sums = await Promise.all(
    names.map(
      async (name) =>
        `${createHash('sha256')
          .update(await readFile(join(output, name)))
          .digest('hex')}  ${name}\n`,
    ),
  );
  await writeFile(join(output, 'SHA256SUMS'), sums.join(''));
  for (const name of [...names, 'SHA256SUMS']) {
    await rename(join(output, name), join(OUTPUT, name));
    console.log(`${((await stat(join(OUTPUT, name))).size / 1e6).toFixed(2).padStart(6)} MB  dist/${name}`);
  }
}

try {
  await release(selected(process.argv.slice(2)));
} catch (error) {
  if (!(error instanceof Error)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

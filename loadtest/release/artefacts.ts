import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { VERSION } from '#platform/version.ts';
import { type Architecture, ARCHITECTURES } from '../../scripts/release/elf.ts';
import { ROOT, runProgram } from '../support/programs.ts';

/** That of this machine: only its artefacts can run here. */
export const ARCHITECTURE = process.arch as Architecture;
const { debian } = ARCHITECTURES[ARCHITECTURE];

const NAMES = {
  archive: `scorehall-${VERSION}-linux-${ARCHITECTURE}.tar.xz`,
  service: `scorehall_${VERSION}_${debian}.deb`,
  agent: `scorehall-agent_${VERSION}_${debian}.deb`,
  client: `scorehall-client-${VERSION}.tgz`,
  sender: `scorehall-sender-${VERSION}.tgz`,
  jar: 'Scorehall.jar',
  image: `scorehall-${VERSION}-image.tar.xz`,
  sums: 'SHA256SUMS',
} as const;

/** Paths of the artefacts of a release. */
export type Artefacts = Readonly<Record<keyof typeof NAMES, string>>;

/**
 * Makes the artefacts of the present commit, unless a folder has them.
 * @throws Error that names those that are missing
 */
export function provideArtefacts(folder: string | undefined): Artefacts {
  if (folder === undefined) runProgram('npm', ['run', '-s', 'release'], { cwd: ROOT });
  const place = resolve(folder ?? join(ROOT, 'dist'));
  const paths = Object.entries(NAMES).map(([artefact, name]) => [artefact, join(place, name)] as const);
  const missing = paths.filter(([, path]) => !existsSync(path)).map(([, path]) => path);
  if (missing.length > 0) throw new Error(`A release of ${VERSION} has also: ${missing.join(', ')}.`);
  return Object.fromEntries(paths) as Artefacts;
}

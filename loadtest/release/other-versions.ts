import { readFileSync } from 'node:fs';
import { appendFile, mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { VERSION } from '#platform/version.ts';
import { latestMigration } from '#db/migrate.ts';
import { ARCHITECTURES } from '../../scripts/release/elf.ts';
import { makePackages } from '../../scripts/release/deb.ts';
import { makeProgram } from '../../scripts/release/program.ts';
import { exportCommit } from '../../scripts/release/source.ts';
import { runProgram } from '../support/programs.ts';
import { ARCHITECTURE } from './artefacts.ts';

export interface FormerPackages {
  service: string;
  agent: string;
  commit: string;
}

const READ_COMMIT = 'dpkg-deb --fsys-tarfile "$0" | tar --extract --to-stdout ./usr/lib/scorehall/COMMIT';

/** Makes the packages of the commit before that of a package, with a version that Debian puts before it. */
export async function makeFormer(service: string, folder: string): Promise<FormerPackages> {
  const present = runProgram('sh', ['-ec', READ_COMMIT, service]).trim();
  const work = join(folder, 'former');
  await mkdir(work);
  const source = { ...(await exportCommit(`${present}~1`, join(work, 'source'))), version: `${VERSION}~former` };
  const program = join(work, 'program');
  await makeProgram(source, ARCHITECTURE, program);
  await makePackages(source, ARCHITECTURE, { program, work, output: folder, level: 0 });
  const file = (name: string): string =>
    join(folder, `${name}_${source.version}_${ARCHITECTURES[ARCHITECTURE].debian}.deb`);
  return { service: file('scorehall'), agent: file('scorehall-agent'), commit: source.commit };
}

const FAILING_COMMIT = 'f'.repeat(40);

/** In the place of `src/main.ts`: all commands work but the service. */
const mainOf = (migrates: boolean): string => `import { spawnSync } from 'node:child_process';
if (process.argv[2] === 'serve') {
  if (${migrates}) spawnSync(process.execPath, [import.meta.filename, 'migrate']);
  console.error('scorehall: A broken version.');
  process.exit(1);
}
await import('./right-main.ts');
`;

/**
 * Changes a package into one of a later version that cannot serve, with another unit and another command.
 * @param migrates whether its start runs an offline migration before it fails
 */
export async function makeFailing(service: string, folder: string, migrates = false): Promise<string> {
  const suffix = migrates ? '+migrating' : '+failing';
  const name = `scorehall_${VERSION}${suffix}.deb`;
  const [root, file] = [join(folder, `${name}.d`), join(folder, name)];
  runProgram('dpkg-deb', ['--raw-extract', service, root]);
  const program = join(root, 'usr/lib/scorehall');
  await rename(join(program, 'src/main.ts'), join(program, 'src/right-main.ts'));
  await writeFile(join(program, 'src/main.ts'), mainOf(migrates));
  await writeFile(join(program, 'COMMIT'), `${FAILING_COMMIT}\n`);
  if (migrates) {
    const number = String(latestMigration() + 1).padStart(3, '0');
    const migration = '-- offline: for this test.\ncreate table offline_change (id bigint primary key);\n';
    await writeFile(join(program, `src/db/migrations/${number}-loadtest.sql`), migration);
  }
  await appendFile(join(root, 'usr/lib/systemd/system/scorehall.service'), '# Of the failing version.\n');
  await appendFile(join(root, 'usr/bin/scorehall'), '# Of the failing version.\n');
  const control = join(root, 'DEBIAN/control');
  const text = readFileSync(control, 'utf8').replace(/^(Version: .*)$/m, `$1${suffix}`);
  await writeFile(control, text);
  runProgram('dpkg-deb', ['--root-owner-group', '-Zgzip', '-z1', '--build', root, file]);
  return file;
}

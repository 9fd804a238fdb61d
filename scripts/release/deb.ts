import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { dirname, join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { COMPRESSION } from './archive.ts';
import { type Architecture, ARCHITECTURES, checkBinaries, filesIn } from './elf.ts';
import type { Source } from './source.ts';
import { run } from './tools.ts';

const UNITS = 'usr/lib/systemd/system';

interface DebianPackage {
  /** The parts of the program that it installs; all of them by default. */
  parts?: readonly string[];
  /** Paths of an installation by hand, in units and commands, with those of the package. */
  paths: readonly (readonly [string, string])[];
  /** Files of the package with their place in the source. `deploy/debian/NAME` has those that only the package needs. */
  files: Readonly<Record<string, string>>;
}

const NAMES = ['scorehall', 'scorehall-agent'] as const;

const PACKAGES: Record<(typeof NAMES)[number], DebianPackage> = {
  scorehall: {
    paths: [
      ['/opt/scorehall/current', '/usr/lib/scorehall'],
      ['/usr/local/sbin', '/usr/bin'],
      // The standard of Debian's file system has no /backups.
      ['/backups', '/var/backups/scorehall'],
    ],
    files: {
      [`${UNITS}/scorehall.service`]: 'deploy/systemd/scorehall.service',
      [`${UNITS}/scorehall@.service`]: 'deploy/systemd/scorehall.service',
      [`${UNITS}/scorehall-backup.service`]: 'deploy/systemd/scorehall-backup.service',
      [`${UNITS}/scorehall-backup.timer`]: 'deploy/systemd/scorehall-backup.timer',
      'usr/bin/scorehall': 'deploy/systemd/scorehall',
      'etc/scorehall/scorehall.env': 'deploy/systemd/scorehall.env',
      'usr/lib/sysusers.d/scorehall.conf': 'deploy/debian/scorehall/sysusers',
      'usr/lib/tmpfiles.d/scorehall.conf': 'deploy/debian/scorehall/tmpfiles',
    },
  },
  'scorehall-agent': {
    parts: [
      ...['package.json', 'COMMIT', 'LICENSE', 'CHANGELOG.md', 'docs/connect.md', 'src', 'node_modules/.bin'],
      ...['agent', 'importers', 'sender', 'text'].map((name) => `packages/${name}`),
    ],
    paths: [
      ['/opt/scorehall/deploy/agent/node_modules', '/usr/lib/scorehall-agent/node_modules'],
      ['/opt/scorehall', '/usr/lib/scorehall-agent'],
    ],
    files: {
      [`${UNITS}/scorehall-agent.service`]: 'deploy/systemd/scorehall-agent.service',
      'usr/bin/scorehall-agent': 'deploy/debian/scorehall-agent/command',
      'etc/scorehall/agent.env': 'deploy/debian/scorehall-agent/agent.env',
    },
  },
};

/** Makes the packages of an architecture from the folder of its program. A low level makes larger files sooner. */
export async function makePackages(
  source: Source,
  architecture: Architecture,
  { program, work, output, level }: { program: string; work: string; output: string; level?: number },
): Promise<void> {
  for (const name of NAMES) {
    const root = join(work, `${name}-${architecture}`);
    await fill(root, { name, source, architecture, program });
    const { debian } = ARCHITECTURES[architecture];
    const file = join(output, `${name}_${source.version}_${debian}.deb`);
    const compression = ['-Zxz', `-z${level ?? COMPRESSION.level}`, `--threads-max=${COMPRESSION.threads}`];
    await run('dpkg-deb', ['--root-owner-group', ...compression, '--build', root, file], {
      // dpkg-deb sorts the files and takes the time from here.
      env: { SOURCE_DATE_EPOCH: String(source.time) },
    });
  }
}

interface Filling {
  name: (typeof NAMES)[number];
  source: Source;
  architecture: Architecture;
  program: string;
}

async function fill(root: string, { name, source, architecture, program }: Filling): Promise<void> {
  const { parts, paths, files } = PACKAGES[name];
  const target = join(root, 'usr/lib', name);
  const node = `node_modules/node-linux-${architecture}`;
  for (const part of parts === undefined ? await readdir(program) : [...parts, node])
    await cp(join(program, part), join(target, part), { recursive: true, verbatimSymlinks: true });
  checkBinaries(target, architecture);
  for (const [place, from] of Object.entries(files)) {
    const text = await readFile(join(source.folder, from), 'utf8');
    const changes = from.startsWith('deploy/systemd/') ? paths : [];
    await write(
      join(root, place),
      changes.reduce((changed, [byHand, packaged]) => changed.replaceAll(byHand, packaged), text),
    );
  }
  const from = join(source.folder, 'deploy/debian', name);
  const documents = join(root, 'usr/share/doc', name);
  await write(join(documents, 'copyright'), await copyrightOf(source, name));
  await write(join(documents, 'changelog.gz'), gzipSync(changelogOf(source, name), { level: 9 }));
  await write(join(root, 'usr/share/lintian/overrides', name), await readFile(join(from, 'lintian-overrides')));
  await run('chmod', ['-R', 'u=rwX,go=rX', root]);
  for (const place of Object.keys(files)) {
    if (place.startsWith('usr/bin/')) await chmod(join(root, place), 0o755);
    if (place.startsWith('etc/')) await chmod(join(root, place), 0o600);
  }
  await control(root, { from, source, architecture });
}

async function write(path: string, content: string | Buffer): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}

/** The folder DEBIAN: what dpkg reads and runs. */
async function control(
  root: string,
  { from, source, architecture }: { from: string; source: Source; architecture: Architecture },
): Promise<void> {
  const installed = filesIn(root).map((path) => relative(root, path));
  const sizes = await Promise.all(installed.map(async (path) => (await stat(join(root, path))).size));
  const kibibytes = sizes.reduce((sum, size) => sum + Math.ceil(size / 1024), 0);
  const values: Record<string, string> = {
    VERSION: source.version,
    MAINTAINER: source.maintainer,
    ARCHITECTURE: ARCHITECTURES[architecture].debian,
    SIZE: String(kibibytes),
  };
  const text = await readFile(join(from, 'control'), 'utf8');
  await write(
    join(root, 'DEBIAN/control'),
    text.replace(/@(\w+)@/g, (_, name: string) => values[name]!),
  );
  const settings = installed.filter((path) => path.startsWith('etc/'));
  await write(join(root, 'DEBIAN/conffiles'), settings.map((path) => `/${path}\n`).join(''));
  const sums = await Promise.all(
    installed
      .filter((path) => !settings.includes(path))
      .map(
        async (path) =>
          `${createHash('md5')
            .update(await readFile(join(root, path)))
            .digest('hex')}  ${path}\n`,
      ),
  );
  await write(join(root, 'DEBIAN/md5sums'), sums.join(''));
  for (const script of ['postinst', 'prerm', 'postrm']) {
    if (!existsSync(join(from, script))) continue;
    await cp(join(from, script), join(root, 'DEBIAN', script));
    await chmod(join(root, 'DEBIAN', script), 0o755);
  }
}

async function copyrightOf({ folder }: Source, name: string): Promise<string> {
  const licence = await readFile(join(folder, 'LICENSE'), 'utf8');
  return `Scorehall:\n\n${licence}\nThe modules and Node in /usr/lib/${name}/node_modules have their licences beside them.\n`;
}

/** dpkg and lintian want one entry in the format of Debian. */
function changelogOf({ version, maintainer, time }: Source, name: string): string {
  const date = new Date(time * 1000).toUTCString().replace('GMT', '+0000');
  return `${name} (${version}) stable; urgency=medium\n\n  * Changes: /usr/lib/${name}/CHANGELOG.md\n\n -- ${maintainer}  ${date}\n`;
}

import { cpSync, mkdirSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { bootDebian, type Container } from '../operate/container.ts';
import type { Outcome } from '../operate/engine.ts';
import { runProgram } from '../support/programs.ts';
import type { DebianSetup } from './setup.ts';

/** Where the artefacts are on the machine. */
export const DOWNLOADS = '/root/downloads';

/** The packages of Debian that ours need and a minimal one lacks. apt would download them. */
const DEPENDENCY = 'libatomic1';

/** Boots a bare Debian with some files in its downloads, and without the library that Node needs. */
export async function bootBare({ suite }: DebianSetup, files: readonly string[]): Promise<Container> {
  return await bootDebian(suite, async (root) => {
    runProgram('dpkg', [`--root=${root}`, '--purge', DEPENDENCY]);
    const archives = join(root, 'var/cache/apt/archives');
    const dependency = readdirSync(archives).filter((name) => name.startsWith(`${DEPENDENCY}_`));
    const target = join(root, DOWNLOADS);
    mkdirSync(target);
    for (const path of [...files, ...dependency.map((name) => join(archives, name))])
      cpSync(path, join(target, basename(path)));
  });
}

/** `apt-get install` of packages in the downloads, with what they need. */
export const aptInstall = (...files: readonly string[]): string =>
  `cd ${DOWNLOADS} && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends --allow-downgrades \
    ${[...files.map((file) => basename(file)), `${DEPENDENCY}_*.deb`].map((name) => `./${name}`).join(' ')}
  apt-mark auto ${DEPENDENCY} >/dev/null`;

/** The end of what a command wrote. */
export const endOf = ({ text, errors }: Outcome): string => `${text}\n${errors}`.trim().slice(-600);

/** Adds whether a command has succeeded. */
export function addOutcome({ report, suite }: DebianSetup, name: string, outcome: Outcome): boolean {
  const isRight = outcome.status === 0;
  report.add(`${suite}: ${name}`, isRight ? 'done' : endOf(outcome), isRight);
  return isRight;
}

/** Asks an address of the machine until the answer is right. @returns whether it became right in time */
export async function untilAnswered(
  container: Container,
  address: string,
  isRight: (body: string) => boolean,
  withinMs = 60_000,
): Promise<boolean> {
  const until = performance.now() + withinMs;
  while (performance.now() < until) {
    if (isRight(container.beside(['curl', '--silent', '--fail', '--location', '--max-time', '5', address]).text))
      return true;
    await pause(50);
  }
  return false;
}

/** Log files and caches of Debian's tools, and what they rewrite. */
const OF_DEBIAN =
  /^(file \/(root\/downloads|var\/(log|lib\/(apt|dpkg|systemd)|cache)|etc\/(ld\.so\.cache|\.pwd\.lock))(\/|$)|file \/etc\/\w+-$)/;

const LISTS = `
  find / -xdev \\( -path /proc -o -path /sys -o -path /dev -o -path /run -o -path /tmp \\) -prune -o -printf 'file %p\\n'
  find /var/cache /var/lib/systemd /var/log -name '*scorehall*' -printf 'path %p\\n'
  cut -d: -f1 /etc/passwd | sed 's/^/user /'
  cut -d: -f1 /etc/group | sed 's/^/group /'
  systemctl list-unit-files --no-legend --plain | cut -d' ' -f1 | sed 's/^/unit /'
  systemctl list-units --all --no-legend --plain | cut -d' ' -f1 | grep scorehall | sed 's/^/loaded /' || true`;

/** The files, users, groups and units of a machine, without what belongs to Debian's tools. */
export function inventory(container: Container): ReadonlySet<string> {
  const lines = container.shell(LISTS).text.split('\n');
  return new Set(lines.filter((line) => !OF_DEBIAN.test(line)));
}

/** Adds what a machine has beside what it had before, which may be only the expected. */
export function addTraces(
  { report, suite }: DebianSetup,
  name: string,
  { container, before, expected = [] }: { container: Container; before: ReadonlySet<string>; expected?: RegExp[] },
): void {
  const after = inventory(container);
  const traces = [...after].filter((line) => !before.has(line) && !expected.some((pattern) => pattern.test(line)));
  const lost = [...before].filter((line) => !after.has(line)).map((line) => `lost: ${line}`);
  const all = [...traces, ...lost];
  const figure = all.length === 0 ? 'none' : `${all.length}: ${all.slice(0, 8).join(', ')}`;
  report.add(`${suite}: ${name}`, figure, all.length === 0);
}

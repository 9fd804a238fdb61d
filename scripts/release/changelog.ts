import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What an upgrade changes beside the program, as recorded for each version in `docs/versions/`. */
export interface Installation {
  /** The names of the migrations, each with its effect on processes of the version before. */
  migrations: Readonly<Record<string, string>>;
  /** Units, commands and examples of settings, each with the beginning of its hash. */
  files: Readonly<Record<string, string>>;
  /** The settings, each with its default. */
  settings: Readonly<Record<string, string>>;
}

const OWN_FILES = ['compose.yaml', 'scorehall.env.example'].map((name) => `deploy/${name}`);

/** The present state of the tree in `root`. */
export function installationOf(root: string, settings: Readonly<Record<string, string>>): Installation {
  const migrations = readdirSync(join(root, 'src/db/migrations')).toSorted();
  const units = readdirSync(join(root, 'deploy/systemd')).map((name) => `deploy/systemd/${name}`);
  const read = (path: string): string => readFileSync(join(root, path), 'utf8');
  return {
    migrations: Object.fromEntries(
      migrations.map((name) => [
        name.replace('.sql', ''),
        /^-- (online|offline):/.exec(read(`src/db/migrations/${name}`))?.[1] ?? 'offline',
      ]),
    ),
    files: Object.fromEntries(
      [...units, ...OWN_FILES]
        .toSorted()
        .map((path) => [path, createHash('sha256').update(read(path)).digest('hex').slice(0, 12)]),
    ),
    settings,
  };
}

const TITLE = '### Migrations, units and settings';
const MARK = '<!-- Made by `npm run docs` from src/db/migrations, deploy/ and the settings. -->';
const BLOCK = new RegExp(`${TITLE}\n\n${MARK}\n(?:- .*\n)+`);

interface Changelog {
  text: string;
  /** That of package.json. */
  version: string;
  present: Installation;
  /** The installation of each version that is recorded. */
  recorded: Readonly<Record<string, Installation>>;
}

/**
 * The text of CHANGELOG.md with the list of the present version, which is the first one of the file.
 * @throws Error if the file has no such version, or if it has a date, is released, and differs from what was recorded
 */
export function changelogOf({ text, version, present, recorded }: Changelog): string {
  const [, first, state, former] = /^## (\S+) \((.+)\)\n[^]*?(?:^## (\S+) |(?![^]))/m.exec(text) ?? [];
  if (first !== version) throw new Error(`The first version of CHANGELOG.md has to be "## ${version} (unreleased)".`);
  if (state !== 'unreleased' && JSON.stringify(recorded[version]) !== JSON.stringify(present))
    throw new Error(
      `${version} is released (${state}), but migrations, units or settings have changed since: begin the next version (CONTRIBUTING.md).`,
    );
  const before = former === undefined ? undefined : recorded[former];
  const lines = before === undefined ? firstLines(present) : changedLines(before, present);
  const block = `${TITLE}\n\n${MARK}\n${lines.map((line) => `- ${line}\n`).join('')}`;
  const start = text.indexOf(`## ${version} (`);
  const end = former === undefined ? text.length : text.indexOf(`## ${former} (`);
  const section = text.slice(start, end);
  const changed = BLOCK.test(section)
    ? section.replace(BLOCK, () => block)
    : `${section.trimEnd()}\n\n${block}${former === undefined ? '' : '\n'}`;
  return text.slice(0, start) + changed + text.slice(end);
}

function firstLines({ migrations, files, settings }: Installation): string[] {
  const numbers = Object.keys(migrations).map((name) => name.slice(0, 3));
  return [
    `Migrations: ${numbers[0]} to ${numbers.at(-1)}.`,
    `Units, commands and examples: ${Object.keys(files).map(quoted).join(', ')}.`,
    `Settings: the ${Object.keys(settings).length} of [docs/settings.md](docs/settings.md).`,
  ];
}

function changedLines(before: Installation, present: Installation): string[] {
  const migrations = Object.entries(present.migrations).filter(([name]) => !(name in before.migrations));
  const defaults = (name: string): string => quotedOrEmpty(present.settings[name]!);
  return [
    `Migrations: ${listed(migrations.map(([name, effect]) => `${quoted(name)} (${effect})`))}`,
    `Units, commands and examples: ${listed(differences(before.files, present.files, () => 'changed'))}`,
    `Settings: ${listed(
      differences(
        before.settings,
        present.settings,
        (name) => `default ${defaults(name)} instead of ${quotedOrEmpty(before.settings[name]!)}`,
        (name) => `new, default ${defaults(name)}`,
      ),
    )}`,
  ];
}

type Values = Readonly<Record<string, string>>;

function differences(
  before: Values,
  present: Values,
  changed: (name: string) => string,
  added: (name: string) => string = () => 'new',
): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(present)])].toSorted();
  return names.flatMap((name) => {
    if (before[name] === present[name]) return [];
    if (present[name] === undefined) return [`${quoted(name)} (removed)`];
    return [`${quoted(name)} (${before[name] === undefined ? added(name) : changed(name)})`];
  });
}

const listed = (items: readonly string[]): string => (items.length === 0 ? 'none.' : `${items.join(', ')}.`);
const quoted = (text: string): string => `\`${text}\``;
const quotedOrEmpty = (text: string): string => (text === '' ? 'empty' : quoted(text));

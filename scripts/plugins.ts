// Compiles the Java plugins of packages/ into jars: npm run plugins. It runs without npm packages.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { UsageError } from '#platform/errors.ts';

const run = promisify(execFile);

const ROOT = join(import.meta.dirname, '..');
const PACKAGES = join(ROOT, 'packages');
const OUTPUT = join(ROOT, 'dist');
/** The Java version of the oldest servers that the plugins support; newer ones run it too. */
const RELEASE = 17;
/** A package with one of these is a plugin; one with Java sources and without them is compiled into every plugin. */
const DESCRIPTORS: readonly string[] = ['plugin.yml', 'velocity-plugin.json'];
/** Gives every build the same bytes. */
const ENTRY_TIME = new Date('2020-01-01T00:00:00Z');

export interface Jdk {
  javac: string;
  jar: string;
  /** As javac prints it. */
  version: string;
}

export interface Plugin {
  name: string;
  jar: string;
}

/** @throws UsageError with one line that names the remedy */
export async function findJdk(environment: NodeJS.ProcessEnv): Promise<Jdk> {
  const home = environment['JAVA_HOME'];
  const folders = [...(home ? [join(home, 'bin')] : []), ''];
  const found = (await Promise.all(folders.map((folder) => jdkIn(folder, environment)))).filter(
    (jdk) => jdk !== undefined,
  );
  const usable = found.find(({ version }) => majorOf(version) >= RELEASE);
  if (usable) return usable;
  const remedy = `Install a JDK of version ${RELEASE} or newer (Debian: openjdk-17-jdk-headless), or name its folder in JAVA_HOME.`;
  throw new UsageError(
    found[0] ? `${found[0].version} is too old for the plugins. ${remedy}` : `javac was not found. ${remedy}`,
  );
}

async function jdkIn(folder: string, env: NodeJS.ProcessEnv): Promise<Jdk | undefined> {
  const javac = join(folder, 'javac');
  try {
    const { stdout, stderr } = await run(javac, ['-version'], { env });
    // Java 8 prints its version to stderr.
    return { javac, jar: join(folder, 'jar'), version: `${stdout}${stderr}`.trim() };
  } catch {
    return undefined;
  }
}

/** Before Java 9 the version begins with `1.`. */
const majorOf = (version: string): number => Number(/ (?:1\.)?(\d+)/.exec(version)?.[1] ?? 0);

/**
 * Compiles all plugins against the stubs in this repository.
 * @param lint further options of javac
 */
export async function buildPlugins(jdk: Jdk, output: string, lint: readonly string[] = []): Promise<Plugin[]> {
  const names = (await readdir(PACKAGES)).toSorted();
  const sources = await Promise.all(names.map((name) => filesIn(join(PACKAGES, name, 'src'), '.java')));
  const packages = names.flatMap((name, index) =>
    sources[index]!.length > 0 ? [{ name, sources: sources[index]! }] : [],
  );
  const described = await Promise.all(
    packages.map(async (each) => ({ ...each, descriptor: await descriptorOf(each.name) })),
  );
  const libraries = described.filter(({ descriptor }) => descriptor === undefined);
  await mkdir(output, { recursive: true });
  const plugins: Plugin[] = [];
  for (const { name, sources: own, descriptor } of described) {
    if (descriptor === undefined) continue;
    const staging = await mkdtemp(join(tmpdir(), 'scorehall-plugin-'));
    try {
      await compile(
        jdk,
        [...own, ...libraries.flatMap((library) => library.sources)],
        stubFolders(name, names),
        staging,
        lint,
      );
      const plugin = await addResources(join(PACKAGES, name), descriptor, staging);
      for (const library of libraries)
        await copyFile(join(PACKAGES, library.name, 'LICENSE'), join(staging, `META-INF/LICENSE-${library.name}`));
      const jar = join(output, `${plugin}.jar`);
      await pack(jdk, staging, jar);
      plugins.push({ name: plugin, jar });
    } finally {
      await rm(staging, { recursive: true });
    }
  }
  return plugins;
}

async function descriptorOf(name: string): Promise<string | undefined> {
  return (await readdir(join(PACKAGES, name))).find((file) => DESCRIPTORS.includes(file));
}

/** Those of the plugin come first. */
function stubFolders(name: string, names: readonly string[]): string[] {
  return [name, ...names.filter((other) => other !== name)]
    .map((each) => join(PACKAGES, each, 'stubs'))
    .filter((folder) => existsSync(folder));
}

async function filesIn(folder: string, ending = ''): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith(ending));
  return files.map((file) => join(file.parentPath, file.name)).toSorted();
}

/** The stubs are in the source path, so javac reads them and writes no classes of them. */
async function compile(
  { javac }: Jdk,
  sources: readonly string[],
  stubs: readonly string[],
  output: string,
  lint: readonly string[],
): Promise<void> {
  const target = ['--release', String(RELEASE), '-encoding', 'UTF-8', '-proc:none', '-implicit:none', '-d', output];
  const paths = ['-cp', output, '-sourcepath', stubs.join(delimiter)];
  await run(javac, [...lint, ...target, ...paths, ...sources]);
}

/** The files beside the sources: descriptor, configuration, licence. @returns the name of the plugin */
async function addResources(folder: string, descriptor: string, staging: string): Promise<string> {
  const entries = await readdir(folder, { withFileTypes: true });
  await mkdir(join(staging, 'META-INF'));
  await writeFile(join(staging, 'META-INF/MANIFEST.MF'), 'Manifest-Version: 1.0\r\n\r\n');
  await copyFile(join(folder, 'LICENSE'), join(staging, 'META-INF/LICENSE'));
  const others = ['LICENSE', 'README.md', descriptor];
  for (const entry of entries)
    if (entry.isFile() && !others.includes(entry.name)) await cp(join(folder, entry.name), join(staging, entry.name));
  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  const text = (await readFile(join(folder, descriptor), 'utf8')).replace('${version}', version);
  await writeFile(join(staging, descriptor), text);
  return /^(?:name: | {2}"name": ")(\w+)/m.exec(text)![1]!;
}

/** Without compression, whose result depends on the version of zlib. */
async function pack({ jar }: Jdk, folder: string, output: string): Promise<void> {
  const files = (await filesIn(folder)).map((file) => relative(folder, file));
  const manifest = join('META-INF', 'MANIFEST.MF');
  for (const file of files) await utimes(join(folder, file), ENTRY_TIME, ENTRY_TIME);
  const entries = [manifest, ...files.filter((file) => file !== manifest)];
  await rm(output, { force: true });
  const options = ['-J-Duser.timezone=UTC', '--create', '--no-manifest', '--no-compress', '--file', output];
  await run(jar, [...options, ...entries], { cwd: folder });
}

if (import.meta.main) {
  try {
    const jdk = await findJdk(process.env);
    for (const { jar } of await buildPlugins(jdk, OUTPUT)) console.log(relative(ROOT, jar));
    console.log(
      `Compiled with ${jdk.version} for Java ${RELEASE} and newer. docs/connect.md says which server needs which jar.`,
    );
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}

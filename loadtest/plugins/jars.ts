import { exec } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual, promisify } from 'node:util';
import { buildPlugins, findJdk, type Jdk } from '../../scripts/plugins.ts';
import type { Report } from '../report.ts';

/** On Debian, where each JDK has a folder. */
const JDKS = '/usr/lib/jvm';
/** The version of class files for Java 17 */
const CLASS_FILE_VERSION = 61;

const ROOT = join(import.meta.dirname, '../..');

/** Runs the command of docs/connect.md, which must write the jars that its table names. */
export async function checkCommand(report: Report): Promise<void> {
  const document = await readFile(join(ROOT, 'docs/connect.md'), 'utf8');
  const [, command] = /^ {4}(npm run .*plugins.*)$/m.exec(document)!;
  const named = [...document.matchAll(/^\| `(dist\/.+\.jar)`/gm)].map(([, jar]) => jar!).toSorted();
  const { stdout } = await promisify(exec)(command!, { cwd: ROOT });
  const written = stdout
    .split('\n')
    .filter((line) => line.endsWith('.jar'))
    .toSorted();
  report.add(`${command}: jars`, written.join(', '), isDeepStrictEqual(written, named));
}

/** Builds the jars twice with each JDK on this machine, and compares them. */
export async function checkJars(jdk: Jdk, output: string, report: Report): Promise<void> {
  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as Jdk;
  for (const [index, each] of (await jdksOf(jdk)).entries()) {
    const [first, second] = [join(output, `${index}-first`), join(output, `${index}-second`)];
    const plugins = await buildPlugins(each, first);
    await buildPlugins(each, second);
    for (const { name, jar } of plugins) {
      const bytes = await readFile(jar);
      const isSame = bytes.equals(await readFile(join(second, `${name}.jar`)));
      report.add(`${each.version}: ${name}.jar, built twice`, `${bytes.length} bytes`, isSame);
      const versions = classVersions(bytes);
      report.add(
        'versions of its classes',
        [...versions].join(),
        versions.size === 1 && versions.has(CLASS_FILE_VERSION),
      );
      report.add('version of the plugin', version, bytes.includes(version) && !bytes.includes('${version}'));
    }
  }
}

/** One for each version. */
async function jdksOf(jdk: Jdk): Promise<Jdk[]> {
  const folders = (await readdir(JDKS).catch(() => [])).map((name) => join(JDKS, name));
  const others = folders.map((home) => findJdk({ ...process.env, JAVA_HOME: home }));
  return [...new Map([jdk, ...(await Promise.all(others))].map((each) => [each.version, each])).values()];
}

/** The jars are not compressed. */
function classVersions(jar: Buffer): Set<number> {
  const magic = Buffer.from('cafebabe', 'hex');
  const versions = new Set<number>();
  for (let at = jar.indexOf(magic); at >= 0; at = jar.indexOf(magic, at + 1)) versions.add(jar.readUInt16BE(at + 6));
  return versions;
}

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Lock {
  version: string;
  packages: Record<string, { version?: string }>;
}

/**
 * The files that repeat the version of package.json, which is the only place to change it, each with its right text: the
 * package.json of each package, package-lock.json, and the names of artefacts in documents.
 */
export function versionedFiles(root: string, version: string): Record<string, string> {
  const read = (path: string): string => readFileSync(join(root, path), 'utf8');
  const packages = globSync('packages/*/package.json', { cwd: root }).toSorted();
  const documents = ['README.md', 'SECURITY.md', ...globSync('docs/*.md', { cwd: root }).toSorted()];
  return {
    ...Object.fromEntries(packages.map((path) => [path, read(path).replace(/(?<="version": ")[^"]+/, version)])),
    'package-lock.json': lockOf(JSON.parse(read('package-lock.json')) as Lock, version),
    ...Object.fromEntries(documents.map((path) => [path, withArtefacts(read(path), version)])),
  };
}

/** npm writes the versions of the project and of its workspaces into the lock file. */
function lockOf(lock: Lock, version: string): string {
  lock.version = version;
  for (const [path, entry] of Object.entries(lock.packages))
    if (entry.version !== undefined && !path.includes('node_modules/')) entry.version = version;
  return `${JSON.stringify(lock, null, 2)}\n`;
}

/** `scorehall-1.2.3-linux-x64.tar.xz`, `scorehall-agent_1.2.3_amd64.deb`, and the supported version of SECURITY.md. */
const withArtefacts = (text: string, version: string): string =>
  text
    .replace(/(?<=\bscorehall(?:-agent|-client|-sender)?[-_])\d+\.\d+\.\d+(?=[-_.])/g, version)
    .replace(/(?<=^\| )\d+\.\d+(?=\.x \(the present one\))/m, version.split('.').slice(0, 2).join('.'));

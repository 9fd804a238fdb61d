import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Source } from './source.ts';
import { run } from './tools.ts';

/** What this file reads of a document in the format of CycloneDX. */
interface Sbom {
  serialNumber: string;
  metadata: { timestamp: string; component: { name: string } };
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

interface Component {
  'bom-ref': string;
  externalReferences?: { type: string }[];
}

/**
 * The software bill of materials of the modules that are installed in a folder, by npm from the lock file, which has those of
 * other platforms and of development too (--omit=dev leaves out pg and others that the service has). It leaves out what differs from run to run: a random number, the time, and the address of the registry.
 */
export async function sbomOf(folder: string, source: Source): Promise<string> {
  const args = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only'];
  const sbom = JSON.parse(await run('npm', args, { cwd: folder })) as Sbom;
  const installed = await installedIn(folder);
  const others = new Set(sbom.components.map((one) => one['bom-ref']).filter((ref) => !installed.has(ref)));
  sbom.components = sbom.components.filter((one) => installed.has(one['bom-ref']));
  for (const component of sbom.components)
    component.externalReferences = component.externalReferences?.filter(({ type }) => type !== 'distribution') ?? [];
  sbom.dependencies = sbom.dependencies
    .filter(({ ref }) => !others.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => !others.has(other)) }));
  // npm takes the name of the folder.
  sbom.metadata.component.name = 'scorehall';
  sbom.metadata.timestamp = new Date(source.time * 1000).toISOString();
  sbom.serialNumber = '';
  sbom.serialNumber = `urn:uuid:${uuidOf(createHash('sha256').update(JSON.stringify(sbom)).digest('hex'))}`;
  return `${JSON.stringify(sbom, null, 2)}\n`;
}

/** The modules that npm has installed, as `name@version`. */
async function installedIn(folder: string): Promise<ReadonlySet<string>> {
  const lock = await readFile(join(folder, 'node_modules/.package-lock.json'), 'utf8');
  const { packages } = JSON.parse(lock) as { packages: Record<string, { name?: string; version?: string }> };
  return new Set(
    Object.entries(packages).map(
      ([path, { name, version }]) => `${name ?? path.split('node_modules/').at(-1)}@${version}`,
    ),
  );
}

/** A UUID of version 8, whose bits a program chooses. */
function uuidOf(hash: string): string {
  const variant = ((Number.parseInt(hash[16]!, 16) & 3) | 8).toString(16);
  return [
    ...[hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`],
    ...[variant + hash.slice(17, 20), hash.slice(20, 32)],
  ].join('-');
}

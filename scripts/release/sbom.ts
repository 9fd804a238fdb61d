import { createHash } from 'node:crypto';
import type { Source } from './source.ts';
import { run } from './tools.ts';

/** What this file reads of a document in the format of CycloneDX. */
interface Sbom {
  serialNumber: string;
  metadata: { timestamp: string };
  components: { externalReferences?: { type: string }[] }[];
}

/**
 * The software bill of materials of installed modules, by npm, without what differs from run to run: a random number, the
 * time, and the address of the registry.
 */
export async function sbomOf(folder: string, source: Source): Promise<string> {
  const sbom = JSON.parse(await run('npm', ['sbom', '--sbom-format=cyclonedx', '--omit=dev'], { cwd: folder })) as Sbom;
  sbom.metadata.timestamp = new Date(source.time * 1000).toISOString();
  for (const component of sbom.components)
    component.externalReferences = component.externalReferences?.filter(({ type }) => type !== 'distribution') ?? [];
  sbom.serialNumber = '';
  const hash = createHash('sha256').update(JSON.stringify(sbom)).digest('hex');
  sbom.serialNumber = `urn:uuid:${uuidOf(hash)}`;
  return `${JSON.stringify(sbom, null, 2)}\n`;
}

/** A UUID of version 8, whose bits a program chooses. */
function uuidOf(hash: string): string {
  const variant = ((Number.parseInt(hash[16]!, 16) & 3) | 8).toString(16);
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    variant + hash.slice(17, 20),
    hash.slice(20, 32),
  ].join('-');
}

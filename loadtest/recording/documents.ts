import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Recording } from './recording.ts';

const PROJECT = join(import.meta.dirname, '../..');
/** The documents that `npm run docs` writes; `npm run check` fails if they are outdated. */
const GENERATED = [
  '.env.example',
  'docs/settings.md',
  'docs/openapi/data-api.json',
  'packages/client/data-api.ts',
  'docs/openapi/ingest.json',
];

export async function recordDocuments(recording: Recording): Promise<void> {
  for (const file of GENERATED) await recording.write(`documents/${file}`, await readFile(join(PROJECT, file), 'utf8'));
}

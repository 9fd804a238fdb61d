import { readFileSync } from 'node:fs';

interface Manifest {
  version: string;
}

export const { version: VERSION } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as Manifest;

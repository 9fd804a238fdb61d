// Writes the documents that are made from the code; with --check, fails where one of them is not current.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ENDPOINTS } from '#api/index.ts';
import { openapiOf } from '#api/openapi.ts';
import { settingNames, readConfig, SETTINGS } from '#platform/config.ts';
import type { Setting } from '#platform/setting.ts';
import { openApiDocument } from '#ingest/openapi.ts';

const DOCS = join(import.meta.dirname, '../docs');
const config = readConfig({});

const documents: Record<string, string> = {
  'settings.md': settingsDocument(),
  'openapi/data-api.json': jsonOf(
    openapiOf(ENDPOINTS, {
      server: config.API_URL,
      network: config.NETWORK_NAME,
      tokenUrl: `${config.AUTH_URL}/oauth/token`,
    }),
  ),
  'openapi/ingest.json': jsonOf(JSON.parse(openApiDocument(config.INGEST_URL))),
};

const stale = Object.entries(documents).filter(([name, text]) => readDocument(name) !== text);
if (process.argv.includes('--check')) {
  for (const [name] of stale) console.error(`docs/${name} is not current.`);
  if (stale.length > 0) process.exitCode = 1;
} else for (const [name, text] of stale) writeDocument(name, text);

function readDocument(name: string): string | undefined {
  try {
    return readFileSync(join(DOCS, name), 'utf8');
  } catch {
    return undefined;
  }
}

function writeDocument(name: string, text: string): void {
  mkdirSync(dirname(join(DOCS, name)), { recursive: true });
  writeFileSync(join(DOCS, name), text);
}

function jsonOf(document: unknown): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

function settingsDocument(): string {
  const rows = settingNames().map((name) => {
    const { default: fallback, meaning, secret }: Setting = SETTINGS[name];
    return `| \`${name}\` | ${codeOf(fallback)} | ${cellOf(meaning)}${secret ? ' **Secret**' : ''} |`;
  });
  return [
    '# Settings',
    '',
    '<!-- Made by `npm run docs` from the settings that the code reads. -->',
    '',
    'A setting is an environment variable. `.env` in the working folder is read first, and beside the database of a demo',
    'its `settings.env`; a variable of the environment wins. `npm run -s scorehall -- config` prints the values in force,',
    'without secrets.',
    '',
    '| Setting | Default | Meaning |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

function codeOf(text: string): string {
  return text === '' ? 'empty' : `\`${cellOf(text)}\``;
}

function cellOf(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}

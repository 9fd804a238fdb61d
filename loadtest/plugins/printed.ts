import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const DOCUMENT = join(import.meta.dirname, '../../docs/connect.md');

/** The block of a language below a heading of docs/connect.md. */
export function printedBlock(heading: string, language: string): string {
  const document = readFileSync(DOCUMENT, 'utf8');
  const section = document.slice(document.indexOf(`# ${heading}\n`));
  const [, block] = new RegExp(`\n\`\`\`${language}\n(.*?)\n\`\`\``, 's').exec(section) ?? [];
  if (block === undefined) throw new Error(`docs/connect.md has no ${language} block below "${heading}".`);
  return block;
}

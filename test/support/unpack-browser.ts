/**
 * Unpacks Chromium and the libraries it needs into TMPDIR and prints what to start it with. A process of its own, because
 * the package writes into the environment of whoever imports it, and takes its libraries along only on Amazon's machines.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

process.env['AWS_LAMBDA_JS_RUNTIME'] = 'nodejs22.x';
const { default: chromium } = await import('@sparticuz/chromium');
const executablePath = await chromium.executablePath();
const { LD_LIBRARY_PATH, FONTCONFIG_PATH } = process.env;
// The package's own list of fonts names /tmp/fonts, where they are only for whoever unpacks into /tmp; without any font
// the browser ends at the first character it does not find. Those of the machine come first: they have more characters.
const folders = ['/usr/share/fonts', '/usr/local/share/fonts', join(FONTCONFIG_PATH!, 'fonts')];
writeFileSync(
  join(FONTCONFIG_PATH!, 'fonts.conf'),
  `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>${folders.map((folder) => `<dir>${folder}</dir>`).join('')}<cachedir>${FONTCONFIG_PATH}/cache</cachedir></fontconfig>
`,
);
console.log(JSON.stringify({ executablePath, env: { LD_LIBRARY_PATH, FONTCONFIG_PATH } }));

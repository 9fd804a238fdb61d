/**
 * Unpacks Chromium and its libraries into TMPDIR and prints, as JSON, the path and the environment to start it with. Runs
 * as a separate process, because the package changes the environment of the process that imports it, and unpacks its
 * libraries only if that environment looks like AWS Lambda's.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

process.env['AWS_LAMBDA_JS_RUNTIME'] = 'nodejs22.x';
const { default: chromium } = await import('@sparticuz/chromium');
const executablePath = await chromium.executablePath();
const { LD_LIBRARY_PATH, FONTCONFIG_PATH } = process.env;
// The package's font configuration names /tmp/fonts, which is wrong for any other TMPDIR, and without fonts the browser
// crashes at the first missing glyph. The fonts of the machine come first, because they have more glyphs.
const folders = ['/usr/share/fonts', '/usr/local/share/fonts', join(FONTCONFIG_PATH!, 'fonts')];
writeFileSync(
  join(FONTCONFIG_PATH!, 'fonts.conf'),
  `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>${folders.map((folder) => `<dir>${folder}</dir>`).join('')}<cachedir>${FONTCONFIG_PATH}/cache</cachedir></fontconfig>
`,
);
console.log(JSON.stringify({ executablePath, env: { LD_LIBRARY_PATH, FONTCONFIG_PATH } }));

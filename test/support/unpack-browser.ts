/**
 * Unpacks Chromium and the libraries it needs into TMPDIR and prints what to start it with. A process of its own, because
 * the package writes into the environment of whoever imports it, and takes its libraries along only on Amazon's machines.
 */
process.env['AWS_LAMBDA_JS_RUNTIME'] = 'nodejs22.x';
const { default: chromium } = await import('@sparticuz/chromium');
const executablePath = await chromium.executablePath();
const { LD_LIBRARY_PATH, FONTCONFIG_PATH } = process.env;
console.log(JSON.stringify({ executablePath, env: { LD_LIBRARY_PATH, FONTCONFIG_PATH } }));

// Static checks: types, lint, format, structure of the tree, lock file, generated documents and their OpenAPI rules.

import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const project = dirname(import.meta.dirname);
const require = createRequire(import.meta.url);

const checks = [
  ['types', binary('typescript', 'tsc')],
  ['lint', binary('oxlint', 'oxlint'), '--type-aware', '--deny-warnings'],
  ['format', binary('prettier', 'prettier'), '--check', '--cache', '--log-level', 'warn', '.'],
  ['lock', join(project, 'scripts/lock.mjs'), '--check'],
  ['documents', join(project, 'scripts/docs.ts'), '--check'],
  ['openapi', join(project, 'scripts/check/openapi.ts')],
  ['structure', join(project, 'scripts/check/structure.ts')],
];

const failed = checks.filter(([name, ...command]) => {
  const { status } = spawnSync(process.execPath, command, { cwd: project, stdio: 'inherit' });
  console.log(`${name}: ${status === 0 ? 'passed' : 'failed'}`);
  return status !== 0;
});
if (failed.some(([name]) => name === 'format')) console.log('Run npm run format to format the files.');
if (failed.some(([name]) => name === 'documents')) console.log('Run npm run docs to write the documents.');
if (failed.length > 0) process.exitCode = 1;

function binary(name, command) {
  const manifest = require.resolve(`${name}/package.json`);
  const { bin } = require(manifest);
  return join(dirname(manifest), bin[command] ?? bin);
}

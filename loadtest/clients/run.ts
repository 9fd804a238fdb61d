import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { runProgram } from '../support/programs.ts';
import type { LoadTestOptions } from '../options.ts';
import type { Report } from '../report.ts';
import { type ApiDocument, type PlannedCall, planCalls } from './calls.ts';
import { type Generator, GENERATORS, PACKAGES } from './generators.ts';
import { testRuntimes } from './runtimes.ts';
import { type ServedSample, serveSampleNetwork } from './sample-network.ts';

const run = promisify(execFile);
const LIBRARIES = ['es2022', 'dom'];

export const PARTS = [...GENERATORS.map(({ name }) => name), 'runtimes'];

/**
 * Clients that other programs generate from the OpenAPI document are compiled and call every endpoint; the client library
 * runs in other runtimes than Node.
 */
export async function runLoadTest({ wants }: LoadTestOptions, report: Report): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'scorehall-clients-'));
  try {
    await using sample = await serveSampleNetwork(join(folder, 'sample.db'));
    if (wants('runtimes')) await testRuntimes(folder, sample, report);
    const generators = GENERATORS.filter(({ name }) => wants(name));
    if (generators.length > 0) await testGenerators(folder, sample, generators, report);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function testGenerators(
  folder: string,
  { origin, token }: ServedSample,
  generators: readonly Generator[],
  report: Report,
): Promise<void> {
  const get = async (target: string): Promise<unknown> => {
    const response = await fetch(origin + target, { headers: { authorization: `Bearer ${token}` } });
    assert.equal(response.status, 200, target);
    return await response.json();
  };
  const document = (await get('/v1/openapi.json')) as ApiDocument;
  const calls = await planCalls(document, get);
  await prepareFolder(folder, document);
  report.note('installed', PACKAGES.join(', '));
  for (const generator of generators) await testGenerator({ folder, origin, token, calls, generator, report, get });
}

async function prepareFolder(folder: string, document: ApiDocument): Promise<void> {
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  await writeFile(join(folder, 'data-api.json'), JSON.stringify(document));
  await configureCompiler(folder, { files: [], libraries: LIBRARIES });
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--save-exact', '--loglevel=error'];
  await run('npm', ['install', ...options, ...PACKAGES], { cwd: folder, shell: process.platform === 'win32' });
}

interface ClientTest {
  folder: string;
  origin: string;
  token: string;
  calls: PlannedCall[];
  generator: Generator;
  report: Report;
  get: (target: string) => Promise<unknown>;
}

async function testGenerator({ folder, origin, token, calls, generator, report, get }: ClientTest): Promise<void> {
  const { name, command, undocumentedLibraries } = generator;
  const [script, ...args] = command as [string, ...string[]];
  const generated = runProgram(process.execPath, [join(folder, 'node_modules', script), ...args], { cwd: folder });
  report.add(`${name}: the document has no warnings`, generated.match(/warn.*/i)?.[0] ?? '', !/warn/i.test(generated));
  const program = `${name}-calls`;
  await writeFile(join(folder, `${program}.ts`), writeProgram(generator, calls, origin, token));
  const faults = await compile(folder, program, LIBRARIES);
  for (const fault of faults) report.note(`${name}: own fault`, fault);
  const remaining = faults.length === 0 ? [] : await compile(folder, program, [...LIBRARIES, ...undocumentedLibraries]);
  const libraries = undocumentedLibraries.map((library) => `, which needs the library ${library}`).join('');
  report.add(`${name}: the client compiles strictly${libraries}`, remaining.join('; '), remaining.length === 0);
  const { stdout } = await run(process.execPath, [join(folder, 'compiled', `${program}.js`)], { maxBuffer: 2 ** 26 });
  const answers = JSON.parse(stdout) as unknown[];
  for (const [index, { operationId, target }] of calls.entries()) {
    const difference = compare(answers[index], await get(target));
    report.add(`${name}: ${operationId}`, difference ?? target, difference === undefined);
  }
}

/** A program that calls every operation and prints the list of what the client returned. */
function writeProgram(generator: Generator, calls: readonly PlannedCall[], origin: string, token: string): string {
  return `import * as api from '${generator.module}';
${generator.prologue(origin, token)}
console.log(JSON.stringify([
${calls.map((call) => `  await ${generator.call(call)},`).join('\n')}
]));
`;
}

/** Compiles a program with TypeScript 5. @returns its errors, one per line */
async function compile(folder: string, program: string, libraries: readonly string[]): Promise<string[]> {
  await configureCompiler(folder, { files: [`${program}.ts`], libraries });
  const compiler = join(folder, 'node_modules/typescript/bin/tsc');
  const result = await run(process.execPath, [compiler], { cwd: folder }).catch((error: { stdout: string }) => error);
  return result.stdout.split('\n').filter((line) => /\berror TS/.test(line));
}

/** The generators read the file too: hey-api writes the extensions that this kind of modules needs. */
async function configureCompiler(
  folder: string,
  { files, libraries }: { files: readonly string[]; libraries: readonly string[] },
): Promise<void> {
  const modules = { target: 'es2022', module: 'nodenext', outDir: 'compiled', rootDir: '.' };
  const compilerOptions = { ...modules, strict: true, lib: libraries, types: [], skipLibCheck: true };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
}

function compare(actual: unknown, expected: unknown): string | undefined {
  try {
    assert.deepEqual(actual, expected);
    return undefined;
  } catch (error) {
    return (error as Error).message.split('\n').slice(0, 12).join(' ');
  }
}

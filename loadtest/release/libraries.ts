import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { findJdk } from '../../scripts/plugins.ts';
import { createReader, prepare } from '../support/prepare.ts';
import { findProgram, ROOT } from '../support/programs.ts';
import { serveProcess } from '../support/served-process.ts';
import type { Setup } from './setup.ts';

const SOURCE = join(import.meta.dirname, 'UsesOutbox.java');
const OPTIONS = {
  ...{ strict: true, module: 'nodenext', target: 'es2023', noEmit: false, outDir: 'built', skipLibCheck: false },
  ...{ types: ['node'], typeRoots: [join(ROOT, 'node_modules/@types')] },
};

/** A new project sends and reads with the files of a release alone: the npm tarballs, then the jar. */
export async function testLibraries({ report, artefacts, folder }: Setup): Promise<void> {
  const database = join(folder, 'libraries', 'scorehall.db');
  await mkdir(join(folder, 'libraries'));
  const [key] = await prepare(database, 1);
  const token = await createReader(database);
  const service = await serveProcess(database);
  const project = join(folder, 'project');
  await mkdir(project);
  const settings = {
    ...{ INGEST_URL: `http://127.0.0.1:${service.ingest}`, INGEST_KEY: key!, TOKEN: token },
    API_URL: `http://127.0.0.1:${service.api}`,
  };
  const run = async (name: string, command: string, ...args: string[]): Promise<string> => {
    const env = { PATH: process.env['PATH'], HOME: project, ...settings };
    const child = spawn(command, args, { cwd: project, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const [[code], out, err] = await Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)]);
    report.add(`a new project: ${name}`, code === 0 ? 'done' : `${out}${err}`.slice(-500), code === 0);
    return out;
  };
  const addPlayer = async (name: string): Promise<void> => {
    const isThere = await isKnown(settings.API_URL, token, name);
    report.add(`a new project: the player ${name} is in the data API`, isThere ? 'yes' : 'no', isThere);
  };
  try {
    await writeFile(join(project, 'package.json'), '{"name":"project","private":true,"type":"module"}\n');
    await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions: OPTIONS, include: ['*.ts'] }));
    await writeFile(join(project, 'send.ts'), await exampleOf('sender'));
    await writeFile(join(project, 'read.ts'), READ);
    const { client, sender } = artefacts;
    await run('npm install of the files, offline', 'npm', 'install', '--offline', '--no-audit', client, sender);
    await run('tsc', join(ROOT, 'node_modules/.bin/tsc'), '--project', '.');
    await run('the example of scorehall-sender', process.execPath, 'built/send.js');
    await addPlayer('Saltmarten');
    const read = await run('scorehall-client', process.execPath, 'built/read.js');
    report.add('a new project: what it reads', read.trim(), read === 'Saltmarten\n');
    const java = findProgram('java');
    const jdk = await findJdk(process.env).catch(() => undefined);
    if (jdk === undefined || java === undefined)
      return report.add('a new project: the jar', 'javac is missing: apt-get install openjdk-17-jdk-headless', false);
    await run('javac with the jar', jdk.javac, '-Werror', '-cp', artefacts.jar, '-d', '.', SOURCE);
    const classPath = [artefacts.jar, '.'].join(delimiter);
    await run('java with the jar', java, '-cp', classPath, 'UsesOutbox', 'outbox', settings.INGEST_URL, key!);
    await addPlayer('Jarred');
  } finally {
    await service.kill();
  }
}

const READ = `import { Scorehall } from 'scorehall-client';

const client = new Scorehall({ baseUrl: process.env['API_URL']!, token: process.env['TOKEN']! });
const player = await client.find('/v1/players/{id}', { id: 'Saltmarten', fields: ['total'] });
console.log(player?.name);
`;

/** The first example of a package's README. */
async function exampleOf(name: string): Promise<string> {
  const readme = await readFile(join(ROOT, 'packages', name, 'README.md'), 'utf8');
  return /^```ts\n(.*?)^```/ms.exec(readme)![1]!;
}

async function isKnown(api: string, token: string, name: string): Promise<boolean> {
  for (let count = 0; count < 100; count++) {
    const headers = { authorization: `Bearer ${token}` };
    if ((await fetch(`${api}/v1/players/${name}`, { headers })).ok) return true;
    await pause(100);
  }
  return false;
}

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { parse } from 'yaml';
import { readConfig, settingNames } from '#platform/config/config.ts';

const read = (path: string): string => readFileSync(path, 'utf8');

/** The instructions of the container file, continued lines joined. */
const instructions = read('deploy/Containerfile')
  .replace(/\\\n\s*/g, '')
  .split('\n')
  .filter((line) => /^[A-Z]/.test(line));

const argumentsOf = (instruction: string): string[] =>
  instructions.filter((line) => line.startsWith(`${instruction} `)).map((line) => line.slice(instruction.length + 1));

interface Manifest {
  imports: Record<string, string>;
  workspaces: string[];
}

test('the build context has every file that the image copies, and the image every file that imports need', () => {
  const copied = argumentsOf('COPY')
    .filter((words) => !words.startsWith('--from='))
    .flatMap((words) => words.split(' ').slice(0, -1));
  const context = read('deploy/Containerfile.dockerignore').trim().split('\n');
  assert.equal(context[0], '*', 'the context has only the files that are listed');
  assert.deepEqual(
    context
      .slice(1)
      .map((line) => line.slice(1))
      .toSorted(),
    copied.filter((path, index) => copied.indexOf(path) === index).toSorted(),
  );
  assert.deepEqual(
    copied.filter((path) => !existsSync(path)),
    [],
  );
  const { imports, workspaces } = JSON.parse(read('package.json')) as Manifest;
  const ofProject = ['bench', 'test'];
  const folders = new Set(Object.values(imports).map((path) => path.split('/')[1]!));
  assert.deepEqual(
    [...folders].filter((folder) => !copied.includes(folder)),
    ofProject,
  );
  const beforeInstall = instructions.slice(
    0,
    instructions.findIndex((line) => line.startsWith('RUN npm ci')),
  );
  assert.deepEqual([...new Set(workspaces.map((path) => path.split('/')[0]))], ['packages']);
  assert.ok(beforeInstall.includes('COPY packages packages'), 'npm needs the package.json of each workspace');
});

test('installations keep the optional packages, of which one is the binary of sharp', () => {
  for (const path of ['deploy/Containerfile', 'docs/operations.md', 'README.md']) {
    const commands = read(path).match(/npm ci [^\n;&`]*/g) ?? [];
    assert.deepEqual(
      commands.filter((command) => /omit=optional/.test(command)),
      [],
      path,
    );
  }
});

test('the settings of the image exist and are valid', () => {
  const environment = argumentsOf('ENV').join(' ');
  const settings = Object.fromEntries(
    [...environment.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value]),
  );
  readConfig(settings);
  const known = new Set<string>(settingNames());
  assert.deepEqual(
    Object.keys(settings).filter((name) => !known.has(name)),
    ['NODE_ENV', 'NODE_COMPILE_CACHE', 'SQLITE_TMPDIR'],
  );
});

interface Compose {
  services: { scorehall: { volumes: string[]; tmpfs: string[]; env_file: string[] } };
}

test('the read-only container can write each folder of its settings', () => {
  const {
    volumes,
    tmpfs,
    env_file: files,
  } = (parse(read('deploy/compose.yaml'), { merge: true }) as Compose).services.scorehall;
  const writable = [...volumes.filter((volume) => !volume.endsWith(':ro')), ...tmpfs.map((mount) => `:${mount}`)];
  const folders = writable.map((volume) => volume.split(':')[1]);
  assert.deepEqual(folders, ['/data', '/backups', '/tmp']);
  const paths =
    argumentsOf('ENV')
      .join(' ')
      .match(/(?<==)\/\w+/g) ?? [];
  assert.deepEqual([...new Set(paths)].toSorted(), ['/data', '/tmp']);
  assert.ok(files.every((file) => existsSync(`deploy/${file}.example`)));
});

test('the health check succeeds only when the service is ready', async () => {
  const [, check] = /CMD (\[.*\])$/.exec(argumentsOf('HEALTHCHECK')[0]!)!;
  const server = createServer((request, response) => {
    response.writeHead(request.url === '/readyz' ? status : 404).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  let status = 200;
  const { port } = server.address() as AddressInfo;
  const env = { INTERNAL_LISTEN: `127.0.0.1:${port}` };
  const run = async (): Promise<unknown> => {
    const [command, ...args] = JSON.parse(check!) as [string, ...string[]];
    assert.equal(command, 'node');
    return (await once(spawn(process.execPath, args, { stdio: 'ignore', env }), 'exit'))[0];
  };
  assert.equal(await run(), 0);
  status = 503;
  assert.equal(await run(), 1);
  server.close();
  server.closeAllConnections();
  assert.equal(await run(), 1, 'nothing listens');
});

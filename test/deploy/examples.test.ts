import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseEnv } from 'node:util';
import { parse } from 'yaml';
import { readConfig, settingNames } from '#platform/config/config.ts';
import { unavailable } from '#http/errors.ts';
import { scorehall } from '#test/cli/scorehall.ts';

const read = (file: string): string => readFileSync(`deploy/${file}`, 'utf8');

interface Service {
  environment?: Record<string, string>;
  command?: string[];
  mem_limit?: string;
  pids_limit?: number;
  logging?: object;
  networks?: { services: { ipv4_address: string } };
  read_only?: boolean;
  user?: string;
  cap_drop?: string[];
  ports?: string[];
  volumes: string[];
  profiles?: string[];
}

test('the examples of proxies send our error body with 502', () => {
  const { body } = unavailable();
  for (const [file, count] of [
    ['nginx/scorehall.conf', 3],
    ['caddy/Caddyfile', 1],
    ['traefik/errors/unavailable.json', 1],
  ] as const)
    assert.equal(read(file).split(body).length - 1, count, file);
  const nginx = read('nginx/scorehall.conf');
  assert.equal(nginx.match(/return 502/g)?.length, 5, 'sign-in has a page and the error body');
  assert.match(nginx, /X-Forwarded-For \$remote_addr;/, 'overwritten, never appended');
  parse(read('traefik/traefik.yaml'));
  parse(read('traefik/scorehall.yaml'));
});

type ServiceName = 'scorehall' | 'second' | 'backup' | 'postgres';

/** The compose file, as YAML 1.1 with merge keys, as Docker reads it. */
const compose = (): { services: Record<ServiceName, Service>; volumes: object } =>
  parse(read('compose.yaml'), { merge: true }) as ReturnType<typeof compose>;

test('the containers are hardened and limited, keep their data and publish to this machine alone', () => {
  const { services, volumes } = compose();
  const { scorehall, second, backup, postgres } = services;
  for (const [name, service] of Object.entries(services)) {
    assert.ok(service.mem_limit !== undefined && service.pids_limit !== undefined, name);
    assert.deepEqual(service.logging, { driver: 'local', options: { 'max-size': '20m', 'max-file': '5' } }, name);
    assert.ok(service.ports?.every((port) => /^127\.0\.0\.1:74[01][0-4]:740[0-4]$/.test(port)) ?? true, name);
  }
  for (const service of [scorehall, second, backup])
    assert.deepEqual([service.read_only, service.user, service.cap_drop], [true, '10001:10001', ['ALL']]);
  for (const service of [scorehall, second]) {
    const { ipv4_address: address } = service.networks!.services;
    assert.equal(service.environment!['INTERNAL_LISTEN'], `${address}:7404`, 'no address that the doctor warns of');
    assert.equal(service.ports!.length, 5);
    readConfig(service.environment!);
  }
  assert.equal(new Set([scorehall, second].flatMap(({ ports }) => ports!.map((port) => port.split(':')[1]))).size, 10);
  assert.ok(scorehall.volumes.includes('data:/data') && 'data' in volumes);
  const profiles = [scorehall, backup, second, postgres].map((service) => service.profiles);
  assert.deepEqual(profiles, [undefined, undefined, ['second'], ['postgres']]);
  assert.ok(postgres.volumes.includes('postgres:/var/lib/postgresql') && 'postgres' in volumes);
  const image = read('Containerfile');
  assert.match(image, /^USER 10001:10001$/m);
  assert.match(image, /^HEALTHCHECK [^]*process\.env\.INTERNAL_LISTEN \+ '\/readyz'/m);
  assert.doesNotMatch(image, /EXPOSE.*7404/);
});

test('the backup container writes a backup a day and deletes those older than two weeks, after a success', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'backups-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const [shell, option, script] = compose().services.backup.command!;
  // Compose makes one dollar sign of two. The pause after the first turn ends the loop.
  const turn = script!.replaceAll('$$', '$').replaceAll('/backups', folder).replace('sleep 600', 'exit 0');
  const run = (ends: string): string[] => {
    writeFileSync(join(folder, 'scorehall'), `#!/bin/sh\n[ "$1" = backup ] && ${ends} && touch "$2"\n`, {
      mode: 0o755,
    });
    const path = `${folder}:${process.env['PATH']}`;
    assert.equal(spawnSync(shell!, [option!, turn], { env: { PATH: path } }).status, 0);
    return readdirSync(folder).filter((name) => name.endsWith('.backup'));
  };
  const hoursAgo = (name: string, hours: number): void => {
    const time = Date.now() / 1000 - hours * 3600;
    writeFileSync(join(folder, name), '');
    utimesSync(join(folder, name), time, time);
  };
  hoursAgo('scorehall-old.backup', 16 * 24);
  assert.deepEqual(run('false'), ['scorehall-old.backup'], 'a failure deletes nothing');
  const [first, ...others] = run('true');
  assert.match(first!, /^scorehall-\d{4}-\d\d-\d\dT\d{6}\.backup$/);
  assert.deepEqual(others, [], 'the old one is deleted');
  assert.deepEqual(run('true'), [first], 'one is enough');
  renameSync(join(folder, first!), join(folder, 'scorehall-yesterday.backup'));
  hoursAgo('scorehall-yesterday.backup', 24);
  assert.equal(run('true').length, 2, 'the next day');
});

test('the examples of settings are valid and name existing settings', () => {
  for (const file of ['systemd/scorehall.env', 'scorehall.env.example']) {
    const active = parseEnv(read(file));
    readConfig(active);
    const all = parseEnv(read(file).replace(/^#(?=[A-Z_]+=)/gm, ''));
    const known = new Set<string>(settingNames().flatMap((name) => [name, `${name}_FILE`]));
    assert.deepEqual(
      Object.keys(all).filter((name) => !known.has(name)),
      ['NODE_EXTRA_CA_CERTS'],
      file,
    );
  }
});

test('the command of systemd runs with the settings and the user of the service, and the documents install each file', () => {
  const [unit, command] = [read('systemd/scorehall.service'), read('systemd/scorehall')];
  const variables = /^Environment=(.*)$/m.exec(unit)![1]!.split(' ');
  const set = [...command.matchAll(/--setenv=(\S+)/g)].map(([, variable]) => variable);
  assert.deepEqual(set, variables);
  for (const [property, option] of [
    ['User', 'uid'],
    ['Group', 'gid'],
    ['WorkingDirectory', 'working-directory'],
    ['UMask', 'property=UMask'],
  ] as const)
    assert.ok(command.includes(`--${option}=${new RegExp(`^${property}=(.*)$`, 'm').exec(unit)![1]}`), property);
  const [, file] = /^EnvironmentFile=-(.*)$/m.exec(unit)!;
  assert.ok(command.includes(`--property=EnvironmentFile=${file}`));
  const documents = ['docs/operations.md', 'docs/connect.md'].map((file) => readFileSync(file, 'utf8')).join('\n');
  // The others of this folder read upgrade.sh there; scorehall setup writes the settings, and the package has the example.
  const notInstalled = ['upgrade.sh', 'scorehall.env'];
  for (const name of readdirSync('deploy/systemd').filter((name) => !notInstalled.includes(name)))
    assert.ok(documents.includes(`deploy/systemd/${name.replace(/-backup\..*$/, '-backup.*')} `), name);
});

test('units, commands and image run the Node that comes with the program', () => {
  const files = readdirSync('deploy/systemd').map((name) => `systemd/${name}`);
  for (const file of ['scorehall', ...files]) {
    const lines = read(file).split('\n');
    const calls = lines.filter((line) => !line.startsWith('#') && /\bnode"? .*\/src\/main\.ts/.test(line));
    if (/^(scorehall|systemd\/(scorehall|upgrade\.sh|scorehall(-agent)?\.service))$/.test(file))
      assert.notEqual(calls.length, 0, file);
    for (const call of calls) assert.match(call, /node_modules\/\.bin\/node|"\$node"/, file);
  }
  assert.match(read('systemd/scorehall'), /^node=\$program\/node_modules\/\.bin\/node$/m);
  const [, image] = read('Containerfile').split('FROM ${BASE_IMAGE}');
  assert.match(image!, /ln -s \/app\/node_modules\/\.bin\/node \/usr\/local\/bin\/node/);
});

test('systemd repeats a failed start, unless the exit code says that a setting is wrong', async () => {
  for (const name of ['scorehall', 'scorehall-agent']) {
    const unit = read(`systemd/${name}.service`);
    assert.match(unit, /^Restart=on-failure$/m, name);
    const [, code] = /^RestartPreventExitStatus=(\d+)$/m.exec(unit)!;
    const { status } = await scorehall({ API_URL: 'nowhere', INGEST_KEY: 'nothing' }, ...COMMANDS[name]!);
    assert.equal(String(status), code, name);
  }
});

const COMMANDS: Record<string, readonly string[]> = {
  scorehall: ['serve'],
  'scorehall-agent': ['agent', '--server-dir', import.meta.dirname],
};

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parseEnv } from 'node:util';
import { parse } from 'yaml';
import { readConfig, settingNames } from '#platform/config/config.ts';
import { unavailable } from '#http/errors.ts';
import { scorehall } from '#test/cli/scorehall.ts';

const read = (file: string): string => readFileSync(`deploy/${file}`, 'utf8');

interface Service {
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

test('the containers are hardened, keep their data and publish no internal listener', () => {
  const { services, volumes } = parse(read('compose.yaml')) as {
    services: Record<'scorehall' | 'postgres', Service>;
    volumes: object;
  };
  const { scorehall, postgres } = services;
  assert.deepEqual([scorehall.read_only, scorehall.user, scorehall.cap_drop], [true, '10001:10001', ['ALL']]);
  assert.ok(scorehall.ports!.every((port) => /^127\.0\.0\.1:740[0-3]:740[0-3]$/.test(port)));
  assert.ok(scorehall.volumes.includes('data:/data') && 'data' in volumes);
  assert.deepEqual([scorehall.profiles, postgres.profiles], [undefined, ['postgres']]);
  assert.ok(postgres.volumes.includes('postgres:/var/lib/postgresql') && 'postgres' in volumes);
  const image = read('Containerfile');
  assert.match(image, /^USER 10001:10001$/m);
  assert.match(image, /^HEALTHCHECK [^]*127\.0\.0\.1:7404\/readyz/m);
  assert.doesNotMatch(image, /EXPOSE.*7404/);
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
  for (const name of readdirSync('deploy/systemd'))
    assert.ok(documents.includes(`deploy/systemd/${name.replace(/-backup\..*$/, '-backup.*')} `), name);
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

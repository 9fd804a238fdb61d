import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Certificates } from '../support/certificates.ts';
import { ROOT } from '../support/programs.ts';

export const SERVICES = ['API', 'AUTH', 'SITE', 'INGEST'] as const;
export type Service = (typeof SERVICES)[number];

/** The names and ports of the examples in deploy/, in the order of the services. */
const EXAMPLE_HOSTS: Record<Service, string> = {
  API: 'api.example.org',
  AUTH: 'auth.example.org',
  SITE: 'www.example.org',
  INGEST: 'ingest.example.org',
};
const EXAMPLE_PORTS: Record<Service, number> = { API: 7400, AUTH: 7401, SITE: 7402, INGEST: 7403 };

export interface Setup {
  folder: string;
  certificates: Certificates;
  /** The ports of the services. */
  listen: Record<Service, number>;
  /** The ports at which the proxy serves each of them by https. */
  open: Record<Service, number>;
  /** The port at which the proxy redirects http. */
  http: number;
  /**
   * Puts the addresses of several processes into an example; without it those of `listen` on this machine. Then the proxy does
   * not log what fails, because processes end on purpose.
   */
  forward?: (example: string) => string;
  /** The port at which Caddy takes orders; without it none. */
  admin?: number;
}

interface ProxyCommand {
  args: string[];
  environment: NodeJS.ProcessEnv;
  /** The path of its configuration. */
  file: string;
}

/** A proxy with the example of deploy/, but other ports and one certificate. */
export interface ProxyProgram {
  name: 'nginx' | 'caddy';
  /** The package of Debian. */
  package: string;
  command(setup: Setup): ProxyCommand;
}

export const PROXIES: readonly ProxyProgram[] = [
  { name: 'nginx', package: 'nginx-light', command: nginxCommand },
  { name: 'caddy', package: 'caddy', command: caddyCommand },
];

function nginxCommand(setup: Setup): ProxyCommand {
  const { folder, certificates } = setup;
  let example = withPorts(readFileSync(join(ROOT, 'deploy/nginx/scorehall.conf'), 'utf8'), setup);
  for (const service of SERVICES)
    example = replaceOne(
      example,
      `listen 443 ssl;\n    server_name ${EXAMPLE_HOSTS[service]};`,
      `listen 127.0.0.1:${setup.open[service]} ssl;`,
    );
  example = replaceOne(example, 'listen 80;', `listen 127.0.0.1:${setup.http};`);
  example = replaceOne(example, '/etc/ssl/scorehall/fullchain.pem', certificates.certificate);
  example = replaceOne(example, '/etc/ssl/scorehall/privkey.pem', certificates.key);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => {
    mkdirSync(join(folder, name));
    return `${name}_temp_path ${join(folder, name)};`;
  });
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; ${user} worker_processes 1; pid ${join(folder, 'nginx.pid')}; error_log stderr ${setup.forward === undefined ? 'warn' : 'crit'};
events {}
http { access_log off; ${temporary.join(' ')}
${example}
}
`,
  );
  return {
    args: ['-c', join(folder, 'nginx.conf'), '-e', 'stderr'],
    environment: {},
    file: join(folder, 'nginx.conf'),
  };
}

function caddyCommand(setup: Setup): ProxyCommand {
  const { folder, certificates } = setup;
  let example = withPorts(readFileSync(join(ROOT, 'deploy/caddy/Caddyfile'), 'utf8'), setup);
  const tls = `tls ${certificates.certificate} ${certificates.key}`;
  for (const service of SERVICES)
    example = replaceOne(
      example,
      `https://${EXAMPLE_HOSTS[service]} {`,
      `https://127.0.0.1:${setup.open[service]} {\n\t${tls}\n`,
    );
  writeFileSync(
    join(folder, 'Caddyfile'),
    `{\n\tadmin ${setup.admin === undefined ? 'off' : `127.0.0.1:${setup.admin}`}\n\thttp_port ${setup.http}\n\tlog {\n\t\tlevel ${setup.forward === undefined ? 'ERROR' : 'FATAL'}\n\t}\n}\n${example}`,
  );
  return {
    args: ['run', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')],
    environment: { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    file: join(folder, 'Caddyfile'),
  };
}

function withPorts(example: string, { listen, forward }: Setup): string {
  if (forward !== undefined) return forward(example);
  return SERVICES.reduce(
    (text, service) => replaceOne(text, `127.0.0.1:${EXAMPLE_PORTS[service]}`, `127.0.0.1:${listen[service]}`),
    example,
  );
}

/** @throws Error if the example no longer contains the text to replace */
function replaceOne(text: string, from: string, to: string): string {
  if (text.split(from).length !== 2) throw new Error(`The example must have exactly one "${from}".`);
  return text.replace(from, () => to);
}

export interface RunningProxy extends AsyncDisposable {
  child: ChildProcess;
  /** The path of its configuration. */
  file: string;
}

/** Starts a proxy and waits until it accepts connections. */
export async function startProxy(path: string, program: ProxyProgram, setup: Setup): Promise<RunningProxy> {
  const { args, environment, file } = program.command(setup);
  const child = spawn(path, args, { env: { ...process.env, ...environment }, stdio: ['ignore', 'ignore', 'inherit'] });
  process.once('exit', () => child.kill('SIGTERM'));
  const exited = once(child, 'exit');
  for (let attempt = 0; !(await accepts(setup.open.INGEST)); attempt++) {
    if (child.exitCode !== null || attempt > 100) throw new Error(`${program.name} does not start; see above.`);
    await pause(100);
  }
  return {
    child,
    file,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

import { spawnSync } from 'node:child_process';
import { basename, join } from 'node:path';
import { findProgram, ROOT } from '../support/programs.ts';

export interface Outcome {
  status: number | null;
  /** Standard output alone, because podman writes warnings to standard error. */
  text: string;
  errors: string;
}

/** Docker or podman. */
export interface Engine {
  name: string;
  run(args: readonly string[], stdin?: string): Outcome;
}

/** The first engine that answers; a Docker client without its daemon does not. */
export function findEngine(): Engine | undefined {
  const engines = ['docker', 'podman'].map(findProgram).filter((path) => path !== undefined);
  return engines.map(engineAt).find((engine) => engine.run(['info']).status === 0);
}

function engineAt(path: string): Engine {
  return {
    name: basename(path),
    run: (args, input = '') => {
      const { status, stdout, stderr } = spawnSync(path, args, { cwd: ROOT, encoding: 'utf8', input });
      return { status, text: (stdout ?? '').trim(), errors: (stderr ?? '').trim() };
    },
  };
}

/** Podman does not find the ignore file of the container file by itself, and its own format has no health check. */
export function buildArguments({ name }: Engine, tag: string, context = ROOT): string[] {
  const bases = ['NODE_IMAGE', 'BASE_IMAGE'].flatMap((name) => {
    const image = process.env[name];
    return image === undefined ? [] : ['--build-arg', `${name}=${image}`];
  });
  return [
    'build',
    ...(name === 'podman'
      ? ['--format=docker', `--ignorefile=${join(context, 'deploy/Containerfile.dockerignore')}`]
      : []),
    ...bases,
    `--file=${join(context, 'deploy/Containerfile')}`,
    `--tag=${tag}`,
    context,
  ];
}

/** Podman makes /run, /tmp and /var/tmp of a read-only container writable by default. */
export const runArguments = ({ name }: Engine): string[] => (name === 'podman' ? ['--read-only-tmpfs=false'] : []);

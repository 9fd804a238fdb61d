import { execFile, spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';

export const MAIN = join(dirname(dirname(import.meta.dirname)), 'src/main.ts');

export interface Ran {
  status: number | null;
  out: string;
  err: string;
}

/** Runs a command and waits for its end; nothing else goes on in this process meanwhile. */
export function scorehall(environment: NodeJS.ProcessEnv, ...args: string[]): Ran {
  const env = { PATH: process.env['PATH'], ...environment };
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], { env, encoding: 'utf8' });
  return { status, out: stdout, err: stderr };
}

/** As `scorehall`, with something on stdin. */
export function scorehallWith(stdin: string, environment: NodeJS.ProcessEnv, ...args: string[]): Ran {
  const env = { PATH: process.env['PATH'], ...environment };
  const options = { env, encoding: 'utf8', input: stdin } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], options);
  return { status, out: stdout, err: stderr };
}

/** As `scorehall`, for a command that talks to a server of the test's own. */
export function scorehallBeside(environment: NodeJS.ProcessEnv, ...args: string[]): Promise<Ran> {
  const env = { PATH: process.env['PATH'], ...environment };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [MAIN, ...args], { env }, (_error, out, err) =>
      resolve({ status: child.exitCode, out, err }),
    );
  });
}

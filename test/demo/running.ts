import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHILD_ENVIRONMENT } from '#test/support/child.ts';
import type { DemoFacts } from '#demo/folder.ts';

const MAIN = join(import.meta.dirname, '../../src/main.ts');

const running = new Set<RunningDemo>();

/** Ends the demos that still run in a folder, so that it can be removed. */
export async function endDemosIn(folder: string): Promise<void> {
  await Promise.all([...running].filter((demo) => demo.folder === folder).map((demo) => demo.kill()));
}

/** The demo in its own process, as `npm run demo` starts it; `endDemosIn` ends it. */
export class RunningDemo {
  readonly folder: string;
  output = '';
  readonly #child: ChildProcess;
  readonly #exit: Promise<unknown[]>;

  constructor(folder: string, options: string[] = [], environment: NodeJS.ProcessEnv = {}) {
    this.folder = folder;
    this.#child = spawn(process.execPath, [MAIN, 'demo', '--folder', folder, '--matches', '40', ...options], {
      env: { ...CHILD_ENVIRONMENT, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#exit = once(this.#child, 'close');
    this.#child.stdout!.on('data', (text: Buffer) => (this.output += text.toString()));
    this.#child.stderr!.on('data', (text: Buffer) => (this.output += text.toString()));
    running.add(this);
  }

  /** Waits until `ready` is printed. */
  async ready(): Promise<DemoFacts> {
    await this.printed(/^ready$/m);
    return this.facts();
  }

  async printed(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.output)) {
      const end = await Promise.race([once(this.#child.stdout!, 'data').then(() => undefined), this.#exit]);
      if (end !== undefined && !pattern.test(this.output)) throw new Error(`The demo has ended: ${this.output}`);
    }
  }

  facts(): DemoFacts {
    return JSON.parse(readFileSync(join(this.folder, 'demo.json'), 'utf8')) as DemoFacts;
  }

  /** Presses Ctrl-C. @returns the exit code */
  async stop(): Promise<number | null> {
    this.#child.kill('SIGINT');
    return await this.ended();
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exit;
    running.delete(this);
  }

  async ended(): Promise<number | null> {
    return (await this.#exit)[0] as number | null;
  }
}

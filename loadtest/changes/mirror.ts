import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import type { Random } from '../support/random.ts';
import type { CuttingProxy } from './cutting-proxy.ts';
import { type Kind, KINDS, MirrorDisk } from './mirror-disk.ts';
import { type MirrorKind, MIRRORS, type MirrorValue } from './mirror-kinds.ts';
import type { MirrorOrder } from './mirror-process.ts';

/** A mirror in its own process, which can be killed and lose its disk. */
export class Mirror implements Disposable {
  readonly kind: MirrorKind;
  readonly file: string;
  readonly proxy: CuttingProxy;
  readonly #token: string;
  readonly #random: Random;
  #child: ChildProcess;

  constructor(kind: MirrorKind, file: string, proxy: CuttingProxy, token: string, random: Random) {
    this.kind = kind;
    this.file = file;
    this.proxy = proxy;
    this.#token = token;
    this.#random = random;
    this.#child = this.#start();
  }

  /** The kinds of resources that it has. */
  get followed(): readonly Kind[] {
    return (MIRRORS[this.kind] as MirrorValue).kinds ?? KINDS;
  }

  /** What the mirror has on its disk. */
  openDisk(): MirrorDisk {
    return new MirrorDisk(this.file);
  }

  /** Kills the mirror; it continues with its disk, or begins with an empty one. */
  async restart(losesDisk: boolean): Promise<void> {
    await this.#kill();
    if (losesDisk) for (const end of ['', '-journal']) rmSync(this.file + end, { force: true });
    this.#child = this.#start();
  }

  [Symbol.dispose](): void {
    this.#child.kill('SIGKILL');
    this.proxy[Symbol.dispose]();
  }

  async #kill(): Promise<void> {
    const child = this.#child;
    if (child.exitCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  #start(): ChildProcess {
    const child = fork(new URL('./mirror-process.ts', import.meta.url), { execArgv: [] });
    child.send({
      kind: this.kind,
      origin: `http://127.0.0.1:${this.proxy.port}`,
      token: this.#token,
      file: this.file,
      seed: this.#random.below(2 ** 31),
    } satisfies MirrorOrder);
    return child;
  }
}

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import type { Random } from '#demo/network/random.ts';
import type { CuttingProxy } from './cutting-proxy.ts';
import type { Deliveries } from './deliveries.ts';
import { type Kind, KINDS, MirrorDisk } from './mirror-disk.ts';
import { type MirrorKind, MIRRORS } from './mirror-kinds.ts';
import type { MirrorValue } from './mirror-value.ts';
import type { MirrorOrder } from './mirror-process.ts';

/** What a mirror needs. */
export interface MirrorPlace {
  kind: MirrorKind;
  file: string;
  token: string;
  /** To the data API. */
  proxy: CuttingProxy;
  /** Of mirrors to which changes are delivered. */
  deliveries: Deliveries | undefined;
}

/** A mirror in its own process, which can be killed and lose its disk. */
export class Mirror implements Disposable {
  readonly #place: MirrorPlace;
  readonly #random: Random;
  #child: ChildProcess;

  constructor(place: MirrorPlace, random: Random) {
    this.#place = place;
    this.#random = random;
    this.#child = this.#start();
  }

  get kind(): MirrorKind {
    return this.#place.kind;
  }

  get #file(): string {
    return this.#place.file;
  }

  get deliveries(): Deliveries | undefined {
    return this.#place.deliveries;
  }

  get proxies(): CuttingProxy[] {
    const { proxy, deliveries } = this.#place;
    return deliveries === undefined ? [proxy] : [proxy, deliveries.proxy];
  }

  /** The kinds of resources that it has. */
  get followed(): readonly Kind[] {
    return (MIRRORS[this.kind] as MirrorValue).kinds ?? KINDS;
  }

  /** What the mirror has on its disk. */
  openDisk(): MirrorDisk {
    return new MirrorDisk(this.#file);
  }

  /** Kills the mirror, which continues with its disk. */
  async restart(): Promise<void> {
    await this.#kill();
    this.#child = this.#start();
  }

  /** Kills the mirror, which begins with an empty disk. */
  async loseDisk(database: string): Promise<void> {
    await this.#kill();
    for (const end of ['', '-journal']) rmSync(this.#file + end, { force: true });
    await this.deliveries?.beginAgain(database);
    this.#child = this.#start();
  }

  [Symbol.dispose](): void {
    this.#child.kill('SIGKILL');
    for (const proxy of this.proxies) proxy[Symbol.dispose]();
  }

  async #kill(): Promise<void> {
    const child = this.#child;
    if (child.exitCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  #start(): ChildProcess {
    const { kind, file, token, proxy, deliveries } = this.#place;
    const child = fork(new URL('./mirror-process.ts', import.meta.url), { execArgv: [] });
    const origin = `http://127.0.0.1:${proxy.port}`;
    const seed = this.#random.below(2 ** 31);
    child.send({ kind, file, token, origin, seed, receiver: deliveries?.receiver } satisfies MirrorOrder);
    return child;
  }
}

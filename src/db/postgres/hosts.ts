import type { PostgresHost } from '#platform/config/postgres-url.ts';
import { READ_ONLY } from './refusals.ts';

/** Finds the one of several hosts that takes writes. New connections share the result until a connection ends. */
export class Hosts {
  #hosts: readonly PostgresHost[];
  readonly #takesWrites: (host: PostgresHost) => Promise<boolean>;
  #primary: Promise<PostgresHost> | undefined;

  constructor(hosts: readonly PostgresHost[], takesWrites: (host: PostgresHost) => Promise<boolean>) {
    this.#hosts = hosts;
    this.#takesWrites = takesWrites;
  }

  primary(): Promise<PostgresHost> {
    this.#primary ??= this.#find();
    return this.#primary;
  }

  forget(): void {
    this.#primary = undefined;
  }

  /** Asks all hosts at the same time, because one may be silent; the former primary, then their order decides. */
  async #find(): Promise<PostgresHost> {
    const answers = this.#hosts.map((host) => this.#takesWrites(host).catch((error: Error) => error));
    let failure: Error | undefined;
    for (const [index, host] of this.#hosts.entries()) {
      const answer = await answers[index];
      if (answer === true) {
        this.#hosts = [host, ...this.#hosts.filter((other) => other !== host)];
        return host;
      }
      failure = answer || readOnly();
    }
    this.forget();
    throw failure!;
  }
}

const readOnly = (): Error => Object.assign(new Error('No host of PostgreSQL takes writes'), { code: READ_ONLY });

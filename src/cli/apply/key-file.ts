import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { UsageError } from '#platform/errors.ts';

const content = z.strictObject({
  servers: z.record(z.string(), z.string()).default({}),
  applications: z.record(z.string(), z.strictObject({ client_id: z.string(), client_secret: z.string() })).default({}),
});

type Content = z.output<typeof content>;

/**
 * A file of new keys and secrets, which only its owner may read:
 * `{"servers": {"NAME": "KEY"}, "applications": {"NAME": {"client_id": "…", "client_secret": "…"}}}`.
 * Earlier ones stay in it. It is opened before they are made, because they cannot be shown again.
 */
export class KeyFile implements Disposable {
  readonly #path: string;
  readonly #temporary: string;
  readonly #content: Content;

  constructor(path: string) {
    this.#path = path;
    this.#temporary = `${path}.${process.pid}.part`;
    try {
      this.#content = content.parse(existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {});
      writeFileSync(this.#temporary, '', { mode: 0o600, flag: 'wx' });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new UsageError(
        `--keys-to ${path} ${code === undefined ? 'is not a file of keys' : `cannot be written (${code})`}.`,
      );
    }
  }

  /** Adds the key of a server and returns when it is on disk. */
  addServer(name: string, key: string): void {
    this.#content.servers[name] = key;
    this.#write();
  }

  /** Adds the credentials of an application and returns when they are on disk. */
  addApplication(name: string, credentials: Content['applications'][string]): void {
    this.#content.applications[name] = credentials;
    this.#write();
  }

  #write(): void {
    const file = openSync(this.#temporary, 'w', 0o600);
    writeFileSync(file, `${JSON.stringify(this.#content, null, 2)}\n`);
    fsyncSync(file);
    closeSync(file);
    renameSync(this.#temporary, this.#path);
  }

  [Symbol.dispose](): void {
    rmSync(this.#temporary, { force: true });
  }
}

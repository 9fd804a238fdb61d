import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { UsageError } from '#platform/errors.ts';
import type { ApplicationType } from '#store/applications/applications.ts';
import type { Role } from '#store/accounts/accounts.ts';

/** The content of `demo.json`, for programs: the addresses and credentials that the demo also prints. */
export interface DemoFacts {
  api_url: string;
  auth_url: string;
  site_url: string;
  ingest_url: string;
  /** Of /livez, /readyz and /metrics. */
  internal_url: string;
  apps: DemoApp[];
  accounts: DemoAccount[];
  /** The ingest key of the server Lantern. */
  ingest_key: string;
  /** An access token of the service application, issued at each start. */
  access_token: string;
  database_url: string;
}

export interface DemoApp {
  name: string;
  type: ApplicationType;
  client_id: string;
  client_secret?: string;
  redirect_uris: string[];
}

export interface DemoAccount {
  name: string;
  password: string;
  email: string;
  uuid: string;
  role: Role;
}

/** The options of the generated history, and whether all of it is in the database. */
export interface DemoState {
  database_url: string;
  seed: string;
  /** The end of the history, in epoch milliseconds. */
  now: number;
  matches: number;
  filled: boolean;
  /** The id of the process that serves the demo. */
  process?: number;
}

/** The folder of a demo with its database, settings, state and `demo.json`. */
export class DemoFolder {
  readonly path: string;

  /** @throws UsageError if the folder cannot be written */
  constructor(path: string) {
    this.path = resolve(path);
    try {
      mkdirSync(this.path, { recursive: true, mode: 0o700 });
      accessSync(this.path, constants.W_OK);
    } catch (error) {
      throw new UsageError(
        `The demo cannot write in the folder ${path} (${(error as NodeJS.ErrnoException).code}). Choose another one: npm run demo -- --folder DIR`,
      );
    }
  }

  get database(): string {
    return join(this.path, 'demo.db');
  }

  get factsFile(): string {
    return join(this.path, 'demo.json');
  }

  facts(): Partial<DemoFacts> {
    return (this.#read('demo.json') as Partial<DemoFacts> | undefined) ?? {};
  }

  state(): DemoState | undefined {
    return this.#read('state.json') as DemoState | undefined;
  }

  writeFacts(facts: DemoFacts): void {
    this.#write('demo.json', `${JSON.stringify(facts, null, 2)}\n`);
  }

  writeState(state: DemoState): void {
    this.#write('state.json', `${JSON.stringify(state, null, 2)}\n`);
  }

  /** Writes `settings.env` into the folder of the database, from which commands read it. */
  writeSettings(settings: Readonly<Record<string, string>>): void {
    const lines = Object.entries(settings).map(([name, value]) => `${name}=${JSON.stringify(value)}\n`);
    this.#write('settings.env', lines.join(''));
  }

  writeLogo(svg: string): string {
    this.#write('logo.svg', svg);
    return join(this.path, 'logo.svg');
  }

  #read(name: string): unknown {
    const file = join(this.path, name);
    if (!existsSync(file)) return undefined;
    try {
      return JSON.parse(readFileSync(file, 'utf8'));
    } catch {
      return undefined;
    }
  }

  /** Replaces the file by a rename, so that readers never see a partial file. Only the owner may read it. */
  #write(name: string, text: string): void {
    const next = join(this.path, `.${name}`);
    writeFileSync(next, text, { mode: 0o600 });
    chmodSync(next, 0o600);
    renameSync(next, join(this.path, name));
  }
}

import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ApplicationType } from '#store/applications/applications.ts';
import type { Role } from '#store/accounts/accounts.ts';

/** What `demo.json` tells programs about the demo that runs: the same that is printed. */
export interface DemoFacts {
  api_url: string;
  auth_url: string;
  site_url: string;
  ingest_url: string;
  apps: DemoApp[];
  accounts: DemoAccount[];
  /** What the server Lantern shows at the ingest. */
  ingest_key: string;
  /** The service application's own token, written anew at each start. */
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

/** Which season the demo has, and whether all of it is in the database. */
export interface DemoState {
  database_url: string;
  seed: string;
  /** The moment the season reaches up to. */
  now: number;
  matches: number;
  filled: boolean;
  /** The process that serves the demo, while one does. */
  process?: number;
}

/** The folder of a demo: its database, its settings, and what is told about it. */
export class DemoFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = resolve(path);
    mkdirSync(this.path, { recursive: true, mode: 0o700 });
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

  /** The settings that commands find beside the database. */
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

  /** Whoever reads the file meanwhile finds the old one or the new one, and nobody else on the machine either. */
  #write(name: string, text: string): void {
    const next = join(this.path, `.${name}`);
    writeFileSync(next, text, { mode: 0o600 });
    chmodSync(next, 0o600);
    renameSync(next, join(this.path, name));
  }
}

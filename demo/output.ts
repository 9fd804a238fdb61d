import { basename, dirname, join } from 'node:path';
import { commandName } from '#context/command-name.ts';
import { sqliteFileOf } from '#platform/config/setting.ts';
import { output } from '#platform/process/output.ts';
import type { DemoFacts } from './folder.ts';

const SERVICES = [
  ['api_url', 'Data API'],
  ['auth_url', 'Sign-in'],
  ['site_url', 'Site'],
  ['ingest_url', 'Ingest'],
  ['internal_url', 'Metrics'],
] as const;

/** The text that the demo prints: addresses, credentials and an example request. */
export function describe(facts: DemoFacts, file: string): string {
  const services = SERVICES.map(([name, title]) => line(title, facts[name]));
  const apps = facts.apps.flatMap(({ name, type, client_id, client_secret }) => [
    line(`${name} (${type})`, `client_id      ${client_id}`),
    ...(client_secret === undefined ? [] : [line('', `client_secret  ${client_secret}`)]),
  ]);
  const accounts = facts.accounts.map(({ name, role, password }) =>
    line(`${name} (${role})`, `password       ${password}`),
  );
  const key = line('Ingest key (Lantern)', facts.ingest_key);
  return [
    ...services,
    '',
    ...apps,
    '',
    ...accounts,
    '',
    key,
    '',
    ...exampleRequest(facts),
    '',
    ...exampleCommand(facts, dirname(file)),
    '',
    `  All of this is also in ${file}`,
    '',
  ].join('\n');
}

function line(title: string, value: string): string {
  return `  ${title.padEnd(24)}${value}`;
}

function exampleRequest({ api_url, access_token }: DemoFacts): string[] {
  return ['  Try:', `  curl -H 'Authorization: Bearer ${access_token}' '${api_url}/v1/matches?limit=3'`];
}

/** A command for the demo, with the settings that it needs: with PostgreSQL also the folder, which has the secret key. */
function exampleCommand({ database_url }: DemoFacts, folder: string): string[] {
  const file = sqliteFileOf(database_url);
  const settings =
    file === undefined
      ? `DATABASE_URL=${quoted(database_url)} DATA_FOLDER=${quoted(folder)}`
      : `DATABASE_URL=${quoted(join(folder, basename(file)))}`;
  return ['  Commands, for example:', `  ${settings} ${commandName()} server list`];
}

/** For a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Shows the progress of the generation: on a terminal one changing line, elsewhere one line at the start and the end. */
export class Progress {
  readonly #title: string;
  readonly #total: number;
  #started = false;

  constructor(title: string, total: number) {
    this.#title = title;
    this.#total = total;
  }

  show(count: number): void {
    if (output().isTTY) output().write(`\r${this.#title}: ${count} of ${this.#total} matches `);
    else if (!this.#started) output().write(`${this.#title}\n`);
    this.#started = true;
  }

  /** Shows the time, unless nothing had to be generated. */
  end(time: string): void {
    if (!this.#started) return;
    output().write(`${output().isTTY ? '\n' : ''}${this.#total} matches in ${time}\n\n`);
  }
}

import { output } from '#platform/output.ts';
import type { DemoFacts } from './folder.ts';

const SERVICES = [
  ['api_url', 'Data API'],
  ['auth_url', 'Sign-in'],
  ['site_url', 'Site'],
  ['ingest_url', 'Ingest'],
] as const;

/** What the terminal shows of a demo: addresses, credentials, and a line to paste. */
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
    ...toPaste(facts),
    '',
    `  All of this stands in ${file}`,
    '',
  ].join('\n');
}

function line(title: string, value: string): string {
  return `  ${title.padEnd(24)}${value}`;
}

function toPaste({ api_url, access_token }: DemoFacts): string[] {
  return ['  Try:', `  curl -H 'Authorization: Bearer ${access_token}' '${api_url}/v1/matches?limit=3'`];
}

/** How far the filling is: a line that changes on a terminal, one line at the beginning and one at the end elsewhere. */
export class Progress {
  readonly #title: string;
  readonly #whole: number;
  #begun = false;

  constructor(title: string, whole: number) {
    this.#title = title;
    this.#whole = whole;
  }

  show(count: number): void {
    if (output().isTTY) output().write(`\r${this.#title}: ${count} of ${this.#whole} matches `);
    else if (!this.#begun) output().write(`${this.#title}\n`);
    this.#begun = true;
  }

  end(time: string): void {
    output().write(`${output().isTTY ? '\n' : ''}${this.#whole} matches in ${time}\n\n`);
  }
}

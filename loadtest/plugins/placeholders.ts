import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Report } from '../report.ts';
import { freeServicePorts, type Ports, type ServedProcess, serveProcess } from '../support/served-process.ts';
import { withoutPunishmentId } from './ban.ts';
import type { DriverSession, JavaDriver } from './java.ts';

export interface Installation {
  database: string;
  /** The folder of the game server. */
  folder: string;
  driver: JavaDriver;
  key: string;
}

/** Of the driver's players, 1, 2 and 3 have played, 2 is banned, and 5 is unknown. */
const SALTMARTEN = { uuid: '7f0c6a4e-52b1-4c2f-9b7d-000000000001', name: 'Saltmarten' };
const NEWCOMER = { uuid: '7f0c6a4e-52b1-4c2f-9b7d-000000000005', name: 'Newcomer' };

/** The smallest `placeholder-seconds`. */
const REFRESH_MS = 5_000;
const LEADERBOARDS = '/v1/leaderboards/:mode/:period';
const ASKS = 10_000;
const MAX_NS_PER_ASK = 20_000;

/** Reads placeholders of PlaceholderAPI while the service runs, is stopped, runs again, and refuses requests. */
export async function checkPlaceholders(installation: Installation, report: Report): Promise<void> {
  const { database, folder, driver, key } = installation;
  const ports = await freeServicePorts();
  const checks = new Checks(ports, key, report);
  let service = await serveProcess(database, { ports });
  try {
    await using server = driver.start('placeholders', folder, `http://127.0.0.1:${ports.api}`, key);
    await checks.firstValues(server);
    await checks.manyReads(server);
    await checks.leaderboards(server);
    await checks.newValues(server);
    await checks.newLeaders(server);
    await checks.afterFault(server);
    await service.kill('SIGKILL');
    await checks.whileAway(server);
    service = await serveProcess(database, { ports });
    await checks.expect('the service is back: a player who came meanwhile', server, 'await 3 kills 3', '3');
    await checks.configuration(installation);
    service = await restartWithLimit(service, installation, ports, checks);
    await checks.whileLimited(server);
    await checks.end(server);
  } finally {
    await service.kill('SIGTERM');
  }
}

/** Restarts the service with an eighth of the limit left: too few requests for placeholders, enough for bans. */
async function restartWithLimit(
  service: ServedProcess,
  { database }: Installation,
  ports: Ports,
  checks: Checks,
): Promise<ServedProcess> {
  const limit = Math.ceil(((await checks.usedRequests()) / 7) * 8);
  await service.kill('SIGTERM');
  return await serveProcess(database, { ports, environment: { SERVER_LIMIT: String(limit) } });
}

class Checks {
  readonly #ports: Ports;
  readonly #key: string;
  readonly #report: Report;

  constructor(ports: Ports, key: string, report: Report) {
    this.#ports = ports;
    this.#key = key;
    this.#report = report;
  }

  async expect(name: string, server: DriverSession, command: string, expected: unknown): Promise<void> {
    const answer = withoutPunishmentId(await server.ask(...command.split(' ')));
    this.#report.add(name, `${command}: ${JSON.stringify(answer)}`, isDeepStrictEqual(answer, expected));
  }

  async firstValues(server: DriverSession): Promise<void> {
    const started = Date.now();
    await this.expect('PlaceholderAPI has the expansion', server, 'expansion', ['1.0.0', true, true]);
    await this.expect('before the player joins', server, 'ask 1 kills', '');
    await this.expect('without a player', server, 'ask 0 kills', '');
    await server.ask('join', '1');
    await this.expect('after the player has joined', server, 'await 1 kills 10', '10');
    this.#report.add('requests for it', await this.#requests(), (await this.#requests()) === 1);
    for (const [placeholder, text] of FIRST_VALUES) {
      const command = text === null || text === '' ? 'ask' : 'await';
      await this.expect('a value', server, `${command} 1 ${placeholder} ${text}`, text);
    }
    const requests = await this.#requests();
    const most = 5 + Math.ceil((Date.now() - started) / REFRESH_MS);
    this.#report.add('requests for four more members and refreshes', requests, requests <= most);
    await this.expect('in another thread', server, 'ask-elsewhere 1 KD', '2.50');
  }

  async manyReads(server: DriverSession): Promise<void> {
    const before = await this.#requests();
    const time = (await server.ask('ask-often', '1', 'ctw_kills', String(ASKS))) as number;
    const each = Math.round(time / ASKS);
    this.#report.add(`nanoseconds for each of ${ASKS} reads`, each, each <= MAX_NS_PER_ASK);
    const requests = (await this.#requests()) - before;
    this.#report.add('requests for them', requests, requests <= 1);
    await this.expect('a player who is not online', server, 'ask 2 kills', '');
    await this.expect('which needs no request', server, 'stays 2 kills', '');
  }

  async leaderboards(server: DriverSession): Promise<void> {
    const text = 'a leaderboard';
    await this.expect(text, server, 'await 0 top_ctw_kills_1_name Saltmarten', 'Saltmarten');
    await this.expect(text, server, 'ask 1 top_ctw_kills_1_value', '10');
    await this.expect(text, server, 'ask 0 TOP_ctw_kills_100_name', '');
    await this.expect('another one', server, 'await 0 top_total_kills_1_value 10', '10');
    for (const placeholder of [
      'top_dtc_kills_1_name',
      'top_ctw_deaths_1_name',
      'top_ctw_kills_0_name',
      'top_ctw_kills_1',
    ])
      await this.expect('no leaderboard', server, `ask 0 ${placeholder}`, null);
    await this.expect('which is read often', server, 'stays 0 top_ctw_kills_1_value', '10');
    const requests = await this.#requests({ route: LEADERBOARDS });
    this.#report.add('requests for both leaderboards', requests, requests === 2);
  }

  async newLeaders(server: DriverSession): Promise<void> {
    const before = await this.#requests({ route: LEADERBOARDS });
    await this.expect('within a minute', server, 'stays 0 top_total_kills_1_value', '10');
    await this.expect('a minute later', server, 'leaderboards-due', true);
    await this.expect('the leaderboard that was requested first', server, 'stays 0 top_total_kills_1_value', '10');
    await this.expect('two minutes later', server, 'leaderboards-due', true);
    await this.expect('the other leaderboard', server, 'await 0 top_total_kills_1_value 17', '17');
    const requests = (await this.#requests({ route: LEADERBOARDS })) - before;
    this.#report.add('requests of these minutes', requests, requests === 2);
  }

  async newValues(server: DriverSession): Promise<void> {
    await server.ask('join', '5');
    await this.expect('a player whom the service does not know', server, 'stays 5 kills', '');
    await this.#send('player.login', { player: NEWCOMER });
    await this.expect('and then knows', server, 'await 5 kills 0', '0');
    const now = Date.now();
    const players = [{ ...SALTMARTEN, kill_count: 7 }];
    await this.#send('match.finished', {
      ...{ map: 'Late', gamemode: 'tdm', winners: ['A'] },
      ...{ started: new Date(now - 1000).toISOString(), finished: new Date(now).toISOString() },
      teams: [{ name: 'A', players }],
    });
    await this.expect('a value that changes', server, 'await 1 kills 17', '17');
    await this.expect('a rank', server, 'await 1 teampvp_rank_kills 1', '1');
    await this.expect('a place', server, 'await 1 place_total_kills 1', '1');
    await this.expect('a place on a leaderboard without the player', server, 'ask 1 place_splatt_wins', '');
    await this.expect('warnings so far', server, 'warnings', []);
  }

  async afterFault(server: DriverSession): Promise<void> {
    await server.ask('break', '1');
    const warning = (await server.ask('warning')) as string | null;
    this.#report.add('refreshing throws: a warning', String(warning), /could not be refreshed/.test(warning ?? ''));
    await server.ask('join', '1');
    await this.expect('refreshing goes on', server, 'await 1 kills 17', '17');
    await this.expect('further warnings', server, 'warnings', []);
  }

  async whileAway(server: DriverSession): Promise<void> {
    await server.ask('join', '3');
    const warning = (await server.ask('warning')) as string | null;
    this.#report.add('the service is away: a warning', String(warning), /does not answer/.test(warning ?? ''));
    await this.expect('the last value', server, 'stays 1 kills', '17');
    await this.expect('a player without a value', server, 'stays 3 kills', '');
    await this.expect('a banned player', server, 'ban-check 2', 'ALLOWED ');
    await this.expect('further warnings', server, 'warnings', []);
  }

  async whileLimited(server: DriverSession): Promise<void> {
    await this.expect('few requests are left: bans are checked', server, 'ban-check 1', 'ALLOWED ');
    await server.ask('join', '2');
    await this.expect('placeholders wait', server, 'stays 2 kills', '');
    await this.expect(
      'a banned player',
      server,
      'ban-check 2',
      'KICK_BANNED You are banned: Griefing "spawn"\nPunishment: ID',
    );
    const asked = await this.#requests();
    await this.expect(
      'who comes again',
      server,
      'ban-check 2',
      'KICK_BANNED You are banned: Griefing "spawn"\nPunishment: ID',
    );
    const again = (await this.#requests()) - asked;
    this.#report.add('requests for it', again, again === 0);
    while ((await this.#read('/v1/servers')).status === 200);
    await this.expect('no requests are left', server, 'ban-check 1', 'ALLOWED ');
    const warning = (await server.ask('warning')) as string | null;
    this.#report.add('a warning', String(warning), /SERVER_LIMIT/.test(warning ?? ''));
    const refused = await this.#requests({ status: 429 });
    await this.expect('the last value', server, 'stays 1 kills', '17');
    await this.expect('another player', server, 'ban-check 3', 'ALLOWED ');
    await this.expect(
      'the banned player',
      server,
      'ban-check 2',
      'KICK_BANNED You are banned: Griefing "spawn"\nPunishment: ID',
    );
    const more = (await this.#requests({ status: 429 })) - refused;
    this.#report.add('requests before the end of Retry-After', more, more === 0);
  }

  async end(server: DriverSession): Promise<void> {
    await server.ask('quit', '1');
    await this.expect('after the player has left', server, 'ask 1 kills', '');
    await this.expect('the plugin is disabled: the expansion is gone', server, 'disable', true);
  }

  /** A wrong key and a wrong address are reported at the start. */
  async configuration({ driver, folder }: Installation): Promise<void> {
    const url = `http://127.0.0.1:${this.#ports.api}`;
    for (const [address, key, expected] of [
      [url, 'shk_wrong', /refuses the key/],
      [`${url}/v1`, this.#key, /does not lead to the data API/],
      [`http://127.0.0.1:${this.#ports.site}`, this.#key, /does not lead to the data API/],
      [url.replace('http:', 'ftp:'), this.#key, /api-url must begin with/],
      ['https://exa mple.org', this.#key, /api-url must begin with/],
    ] as const) {
      await using server = driver.start('placeholders', folder, address, key);
      const warning = (await server.ask('warning')) as string | null;
      this.#report.add('wrong configuration', String(warning), expected.test(warning ?? ''));
    }
  }

  /** The requests of the server's key in this hour, with this one. */
  async usedRequests(): Promise<number> {
    const { headers } = await this.#read('/v1/servers');
    return Number(headers.get('x-ratelimit-limit')) - Number(headers.get('x-ratelimit-remaining'));
  }

  async #read(path: string): Promise<Response> {
    const authorization = `Bearer ${this.#key}`;
    const response = await fetch(`http://127.0.0.1:${this.#ports.api}${path}`, { headers: { authorization } });
    await response.arrayBuffer();
    return response;
  }

  /** The requests that the service has answered, by its own count. */
  async #requests({ status, route = '/v1/players/:id' }: { status?: number; route?: string } = {}): Promise<number> {
    const metrics = await (await fetch(`http://127.0.0.1:${this.#ports.internal}/metrics`)).text();
    return metrics
      .split('\n')
      .filter((line) => line.startsWith('scorehall_http_request_duration_seconds_count'))
      .filter((line) => line.includes(`route="${route}"`))
      .filter((line) => status === undefined || line.includes(`status="${status}"`))
      .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  }

  async #send(type: string, data: object): Promise<void> {
    const response = await fetch(`http://127.0.0.1:${this.#ports.ingest}/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.#key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ version: 1, id: randomUUID(), type, time: new Date().toISOString(), data }),
    });
    if (!response.ok) throw new Error(`The event was not accepted: ${await response.text()}`);
  }
}

/** Placeholders of Saltmarten after both matches of the driver; null if the text is not replaced. */
const FIRST_VALUES: readonly (readonly [string, string | null])[] = [
  ['deaths', '4'],
  ['kd', '2.50'],
  ['wins', '1'],
  ['losses', '0'],
  ['matches', '2'],
  ['playtime', '0h 00m'],
  ['playtime_seconds', '9'],
  ['nonsense', null],
  ['ctw_nonsense', null],
  ['counter_', null],
  ['ctw_kills', '10'],
  ['ctw_wools', '1'],
  ['ctw_cores', null],
  ['counter_best_streak', '5'],
  ['ctw_counter_wools_touched', '2'],
  ['objective_counter_best_streak', '0'],
  ['counter_nonsense', null],
  ['teampvp_kd', '0.00'],
  ['teampvp_rank_kills', ''],
  ['place_dtc_kills', null],
  ['place_total_deaths', null],
  ['place_total', null],
  ['bowspleef_wins', '0'],
  ['bowspleef_kills', null],
];

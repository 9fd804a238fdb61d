import { randomUUID } from 'node:crypto';
import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

interface Player {
  uuid: string;
  name: string;
}

const PLAYERS = 200;

/** A game server that plays a past day in steps: players come and go, are banned, and finish matches. */
export class GameDay {
  readonly #folder: string;
  readonly #players: Player[];
  readonly #online = new Map<string, Player>();
  readonly #bans = new Map<string, object>();
  readonly #count = { 'player.login': 0, 'player.logout': 0, 'punishment.issued': 0, 'match.finished': 0 };
  #now: number;
  #archives = 0;

  constructor(folder: string, begin: number) {
    this.#folder = folder;
    this.#now = begin;
    this.#players = Array.from({ length: PLAYERS }, (_, index) => ({ uuid: randomUUID(), name: `Player_${index}` }));
    mkdirSync(join(folder, 'logs'), { recursive: true });
    this.#log('Starting minecraft server version 1.21.4');
  }

  /** The number of events of each type so far. */
  get count(): Readonly<Record<string, number>> {
    return this.#count;
  }

  /** Plays one minute. */
  step(minute: number): void {
    this.#now += 60_000;
    const player = this.#players[(minute * 7) % PLAYERS]!;
    if (this.#online.has(player.name)) this.#leave(player);
    else this.#join(player);
    this.#log(`<${player.name}> Player_1[/1.2.3.4:5] logged in with entity id 7 at (0, 0, 0)`);
    if (minute % 30 === 10) this.#ban(player);
    if (minute % 20 === 5) this.#match();
    if (minute % 240 === 239) this.#rotate();
    if (minute % 600 === 590) this.#restart();
  }

  #join(player: Player): void {
    this.#log(`UUID of player ${player.name} is ${player.uuid}`, 'User Authenticator #3/INFO');
    this.#log(`${player.name}[/203.0.113.9:50000] logged in with entity id 7 at (0.5, 64.0, 0.5)`);
    this.#online.set(player.name, player);
    this.#count['player.login']++;
  }

  #leave({ name }: Player): void {
    this.#log(`${name} lost connection: Disconnected`);
    this.#online.delete(name);
    this.#count['player.logout']++;
  }

  #ban({ uuid, name }: Player): void {
    const created = `${new Date(this.#now).toISOString().slice(0, 19).replace('T', ' ')} +0000`;
    this.#bans.set(`${uuid} ${created}`, { uuid, name, created, source: 'Server', expires: 'forever', reason: 'Test' });
    writeFileSync(join(this.#folder, 'banned-players.json'), JSON.stringify([...this.#bans.values()]));
    this.#count['punishment.issued']++;
  }

  #match(): void {
    const [finished, started] = [this.#now, this.#now - 600_000].map((time) => new Date(time).toISOString());
    const [red, blue] = this.#players.map((player) => ({ ...player, kill_count: 1 }));
    const teams = [
      { name: 'Red', players: [red] },
      { name: 'Blue', players: [blue] },
    ];
    const data = { map: 'Old Mill', gamemode: 'ctw', win: 'Red', started, finished, teams };
    const event = { version: 1, id: randomUUID(), type: 'match.finished', time: finished, data };
    appendFileSync(join(this.#folder, 'outbox.ndjson'), `${JSON.stringify(event)}\n`);
    this.#count['match.finished']++;
  }

  /** Renames and compresses the log as log4j does. */
  #rotate(): void {
    const day = new Date(this.#now).toLocaleDateString('sv-SE');
    const archive = join(this.#folder, `logs/${day}-${++this.#archives}.log`);
    renameSync(join(this.#folder, 'logs/latest.log'), archive);
    writeFileSync(`${archive}.gz`, gzipSync(readFileSync(archive)));
    rmSync(archive);
  }

  /** Kills and restarts the server, without logouts in the log. */
  #restart(): void {
    this.#rotate();
    this.#log('Starting minecraft server version 1.21.4');
    this.#count['player.logout'] += this.#online.size;
    this.#online.clear();
  }

  #log(message: string, thread = 'Server thread/INFO'): void {
    const path = join(this.#folder, 'logs/latest.log');
    const time = new Date(this.#now).toTimeString().slice(0, 8);
    appendFileSync(path, `[${time}] [${thread}]: ${message}\n`);
    utimesSync(path, this.#now / 1000, this.#now / 1000);
  }
}

import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, rm, utimes, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from '#agent/agent.ts';
import { openDb } from '#db/open.ts';
import { sql } from '#db/sql.ts';
import { secretHash } from '#platform/crypto/secrets.ts';
import type { Report } from '../report.ts';
import { prepare } from '../support/prepare.ts';
import { freeServicePorts, serveProcess } from '../support/served-process.ts';
import type { DriverSession, JavaDriver } from './java.ts';

const EVENTS = 3_000;
const ROUNDS = 20;
const PATIENCE_MS = 60_000;

/**
 * An outbox sends its events itself while the game server is killed after the service has stored a batch and before the
 * answer arrives, the service is killed while it receives a batch, or both.
 */
export async function checkSenders(
  database: string,
  folder: string,
  driver: JavaDriver,
  report: Report,
): Promise<void> {
  const [key] = (await prepare(database, 1)) as [string];
  const outbox = join(folder, 'plugins/Scorehall');
  await mkdir(outbox, { recursive: true });
  const ports = await freeServicePorts();
  await using proxy = new Proxy(`http://127.0.0.1:${ports.ingest}`);
  const url = await proxy.listen();
  const start = (): DriverSession => driver.start('sender', folder, url, key);
  let service = await serveProcess(database, { ports });
  let server = start();
  for (let round = 0; round < ROUNDS; round++) {
    const kills = ROUND_KILLS[round % ROUND_KILLS.length]!;
    const held = proxy.holdNext(kills.hold);
    await server.ask('append', String((round * EVENTS) / ROUNDS), String(((round + 1) * EVENTS) / ROUNDS));
    await held;
    if (kills.server) await server.kill();
    if (kills.service) await service.kill('SIGKILL');
    proxy.release();
    if (kills.service) service = await serveProcess(database, { ports });
    if (kills.server) server = start();
  }
  try {
    const delivered = await untilDelivered(database);
    report.add(
      'a sender through 15 kills of the game server and 15 of the service: events',
      delivered.events,
      delivered.events === EVENTS,
    );
    report.add('players, each with one login', delivered.players, delivered.players === EVENTS);
    report.add(
      'refused events',
      String(existsSync(join(outbox, 'refused.ndjson'))),
      !existsSync(join(outbox, 'refused.ndjson')),
    );
    await checkAgent({ folder, url, key }, outbox, report);
    await server[Symbol.asyncDispose]();
    const after = await countOf(database);
    report.add('the agent sends the same files: events', after.events, after.events === EVENTS);
  } finally {
    await server[Symbol.asyncDispose]();
    await service.kill('SIGTERM');
  }
}

const ROUND_KILLS = [
  { hold: 'answer', server: true, service: false },
  { hold: 'request', server: false, service: true },
  { hold: 'answer', server: true, service: true },
  { hold: 'request', server: true, service: true },
] as const;

/** Passes requests on, and holds one after it was sent to the service, or after the service has answered it. */
class Proxy implements AsyncDisposable {
  readonly #target: string;
  readonly #server = createServer((request, response) => void this.#pass(request, response));
  #hold: { point: 'request' | 'answer'; reached: PromiseWithResolvers<void> } | undefined;
  #released = Promise.withResolvers<void>();

  constructor(target: string) {
    this.#target = target;
  }

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Resolves when the next request is held. */
  async holdNext(point: 'request' | 'answer'): Promise<void> {
    const reached = Promise.withResolvers<void>();
    this.#hold = { point, reached };
    this.#released = Promise.withResolvers();
    await reached.promise;
  }

  release(): void {
    this.#released.resolve();
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { authorization = '', 'content-encoding': encoding } = request.headers;
    const body = await buffer(request).catch(() => undefined);
    if (body === undefined) return;
    const headers = {
      authorization,
      'content-type': 'application/json',
      ...(encoding !== undefined && { 'content-encoding': encoding }),
    };
    const passed = fetch(`${this.#target}${request.url}`, { method: 'POST', headers, body }).catch(() => undefined);
    if (this.#hold?.point === 'answer') await passed;
    const hold = this.#hold;
    this.#hold = undefined;
    hold?.reached.resolve();
    if (hold !== undefined) await this.#released.promise;
    const answer = await passed;
    if (answer === undefined) return void response.destroy();
    const text = await answer.text().catch(() => undefined);
    if (text === undefined) return void response.destroy();
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** The agent leaves the outbox to its sender while that runs, and takes over afterwards. */
async function checkAgent(
  { folder, url, key }: { folder: string; url: string; key: string },
  outbox: string,
  report: Report,
): Promise<void> {
  const state = join(folder, 'agent/outbox.json');
  await mkdir(join(folder, 'logs'), { recursive: true });
  await writeFile(join(folder, 'logs/latest.log'), '');
  const onTrouble = (sentence: string): void => report.add('agent', sentence, false);
  const poll = async (): Promise<boolean> => {
    const options = { serverFolder: folder, dataFolder: join(folder, 'agent'), url, key, trustLinks: false, onTrouble };
    await using agent = await Agent.open(options);
    await agent.poll();
    await agent.flush();
    return existsSync(state);
  };
  const isLeft = !(await poll());
  report.add('while the plugin sends, the agent leaves the outbox to it', String(isLeft), isLeft);
  await utimes(join(outbox, 'outbox.lock'), 0, 0);
  const isTaken = await poll();
  report.add('without the plugin, the agent sends it', String(isTaken), isTaken);
  await rm(state, { force: true });
}

async function countOf(database: string): Promise<{ events: number; players: number }> {
  await using db = await openDb(database, { keyedHash: secretHash });
  const [row] = await db.all<{ events: number; players: number }>(
    sql`select count(*) as events, count(distinct player_key) as players from player_sessions`,
  );
  return row!;
}

async function untilDelivered(database: string): Promise<{ events: number; players: number }> {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const count = await countOf(database);
    if (count.players >= EVENTS || Date.now() > end) return count;
    await sleep(200);
  }
}

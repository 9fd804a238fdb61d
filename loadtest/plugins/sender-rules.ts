import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import type { Report } from '../report.ts';
import type { DriverSession, JavaDriver } from './java.ts';

const KEY = 'shk_rules';
/** The limit of `close`, and what a busy machine adds. */
const MAX_CLOSE_MS = 5_000;

interface SentEvent {
  id: string;
  data: { player: { name: string } };
}

type Reply = (events: SentEvent[], response: ServerResponse) => void;

const receipts = (response: ServerResponse, list: object[]): void => void response.end(JSON.stringify(list));
const accept: Reply = (events, response) =>
  receipts(
    response,
    events.map(({ id }) => ({ id, status: 'accepted' })),
  );
const status =
  (code: number, headers: Record<string, string> = {}): Reply =>
  (_, response) =>
    void response.writeHead(code, headers).end(JSON.stringify({ error_description: `The answer ${code}.` }));

/** An ingest whose answers a test chooses; records the names of the players of each request. */
class ScriptedIngest implements AsyncDisposable {
  readonly requests: { names: string[]; at: number }[] = [];
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  answer: Reply = accept;
  #next = Promise.withResolvers<void>();

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Resolves with the next `count` requests, from the given one on. */
  async until(count: number): Promise<string[][]> {
    while (this.requests.length < count) await this.#next.promise;
    return this.requests.map(({ names }) => names);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const text = request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
    const events = JSON.parse(text.toString()) as SentEvent[];
    this.requests.push({ names: events.map(({ data }) => data.player.name), at: performance.now() });
    this.answer(events, response);
    this.#next.resolve();
    this.#next = Promise.withResolvers();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** The answers of an ingest, and what a sender does after each. */
export async function checkSenderRules(folder: string, driver: JavaDriver, report: Report): Promise<void> {
  for (const [name, check] of Object.entries(RULES)) {
    await using ingest = new ScriptedIngest();
    const url = await ingest.listen();
    const own = join(folder, name.replaceAll(/\W+/g, '-'));
    const outbox = join(own, 'plugins/Scorehall');
    await mkdir(outbox, { recursive: true });
    const start = (address = url, key = KEY): DriverSession => driver.start('sender', own, address, key);
    const [fact, isRight] = await check({ ingest, outbox, start });
    report.add(`sender: ${name}`, fact, isRight);
  }
}

interface Rule {
  ingest: ScriptedIngest;
  outbox: string;
  start: (address?: string, key?: string) => DriverSession;
}

const refusedNames = async (outbox: string): Promise<string[]> => {
  const lines = (await readFile(join(outbox, 'refused.ndjson'), 'utf8')).trim().split('\n');
  return lines.map((line) => {
    const { event } = JSON.parse(line) as { event: SentEvent | string };
    return typeof event === 'string' ? event : event.data.player.name;
  });
};

const warningOf = async (server: DriverSession): Promise<string> => String(await server.ask('warning'));

const RULES: Record<string, (rule: Rule) => Promise<[fact: string, isRight: boolean]>> = {
  'a key that the service refuses is one line, without the key': async ({ ingest, start }) => {
    ingest.answer = status(401);
    await using server = start();
    await server.ask('append', '0', '1');
    const warning = await warningOf(server);
    await ingest.until(3);
    const more = (await server.ask('warnings')) as string[];
    return [[warning, ...more].join(' | '), warning.includes('401') && !warning.includes(KEY) && more.length === 0];
  },
  'wrong settings are one line each, and events stay in the file': async ({ outbox, start }) => {
    const found: string[] = [];
    for (const [address, key] of [
      ['http://example.org', KEY],
      ['https://ingest.example.org', 'shk wrong'],
    ] as const) {
      await using server = start(address, key);
      found.push(await warningOf(server));
      await server.ask('append', '0', '1');
    }
    const lines = (await readFile(join(outbox, 'outbox.ndjson'), 'utf8')).trim().split('\n').length;
    const isRight = /setting url must/.test(found[0]!) && /setting key must/.test(found[1]!) && lines === 2;
    return [found.join(' | '), isRight && !found.join().includes('shk wrong')];
  },
  'another program at the address': async ({ ingest, start }) => {
    ingest.answer = (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
    await using server = start();
    await server.ask('append', '0', '1');
    const warning = await warningOf(server);
    ingest.answer = accept;
    const again = await warningOf(server);
    return [`${warning} | ${again}`, /is not the ingest/.test(warning) && again === 'Events are sent again.'];
  },
  'answers that decide nothing: half of one, receipts of another batch, an unknown status': async ({
    ingest,
    outbox,
    start,
  }) => {
    const answers: Reply[] = [
      (_, response) => {
        response.writeHead(200, { 'content-length': 100 }).write('[{"id":"');
        setImmediate(() => response.destroy());
      },
      (_, response) => receipts(response, []),
      (events, response) => accept([...events, ...events], response),
      (events, response) =>
        receipts(
          response,
          events.map(({ id }) => ({ id, status: 'stored' })),
        ),
      (_, response) => void response.end('[null,"accepted"]'),
    ];
    ingest.answer = (events, response) => (answers[ingest.requests.length - 1] ?? accept)(events, response);
    await using server = start();
    await server.ask('append', '0', '2');
    const requests = await ingest.until(answers.length + 1);
    await server.ask('close');
    const sent = [...new Set(requests.map((names) => names.join()))];
    const isRight = sent.join() === 'Player0,Player1' && ingest.requests.length === answers.length + 1;
    return [`${ingest.requests.length} × ${sent.join(' | ')}`, isRight && !existsSync(join(outbox, 'refused.ndjson'))];
  },
  'Retry-After of a 429 is respected': async ({ ingest, start }) => {
    ingest.answer = status(429, { 'retry-after': '2' });
    await using server = start();
    await server.ask('append', '0', '1');
    await ingest.until(1);
    ingest.answer = accept;
    await ingest.until(2);
    const [first, second] = ingest.requests;
    const pause = Math.round(second!.at - first!.at);
    return [`${pause} ms`, pause >= 2_000];
  },
  'a refused request is halved until the event is found': async ({ ingest, outbox, start }) => {
    ingest.answer = (events, response) =>
      events.some(({ data }) => data.player.name === 'Player5')
        ? status(413)(events, response)
        : accept(events, response);
    await using server = start();
    await server.ask('append', '0', '9');
    const warning = await warningOf(server);
    await server.ask('close');
    const delivered = ingest.requests.flatMap(({ names }) => names);
    const refused = await refusedNames(outbox);
    const all = Array.from({ length: 9 }, (_, number) => delivered.includes(`Player${number}`)).every(Boolean);
    return [`${warning} ${refused.join()}`, refused.join() === 'Player5' && all && delivered.at(-1) === 'Player8'];
  },
  'receipts of one batch: accepted, refused, later': async ({ ingest, outbox, start }) => {
    ingest.answer = (events, response) =>
      receipts(
        response,
        events.map(({ id, data }) => {
          if (data.player.name === 'Player1') return { id, status: 'rejected', reason: 'No', place: 'data.player' };
          const early = data.player.name === 'Player2' && ingest.requests.length === 1;
          return early
            ? { id, status: 'rejected', reason: 'Later', place: '', retry: true }
            : { id, status: 'accepted' };
        }),
      );
    await using server = start();
    await server.ask('append', '0', '4');
    const requests = await ingest.until(2);
    await server.ask('close');
    const refused = await refusedNames(outbox);
    return [
      `${requests.map((names) => names.join()).join(' | ')}; refused ${refused.join()}`,
      requests.at(-1)!.join() === 'Player2' && refused.join() === 'Player1',
    ];
  },
  'a damaged line is set aside': async ({ ingest, outbox, start }) => {
    await writeFile(join(outbox, 'outbox.ndjson'), '{"half\n');
    await using server = start();
    await server.ask('append', '0', '2');
    const requests = await ingest.until(1);
    await server.ask('close');
    const refused = await refusedNames(outbox);
    return [
      `${refused.join()}; ${requests.flat().join()}`,
      refused.join() === '{"half' && ingest.requests.at(-1)!.names.at(-1) === 'Player1',
    ];
  },
  'a file that a power cut shortened is sent from its beginning': async ({ ingest, outbox, start }) => {
    const line = JSON.stringify({
      version: 1,
      id: randomUUID(),
      type: 'player.login',
      data: { player: { name: 'Old' } },
    });
    await writeFile(join(outbox, 'outbox.ndjson'), `${line}\n`);
    const position = { beginning: line.slice(0, 60), offset: line.length + 100 };
    await writeFile(join(outbox, 'outbox.position'), JSON.stringify(position));
    await using server = start();
    await server.ask('append', '0', '3');
    await server.ask('close');
    const names = ingest.requests.flatMap((request) => request.names).join();
    return [names, names === 'Old,Player0,Player1,Player2'];
  },
  'a position that no file can have': async ({ ingest, outbox, start }) => {
    {
      await using server = start();
      await server.ask('append', '0', '1');
      await server.ask('close');
    }
    const file = join(outbox, 'outbox.position');
    const { beginning } = JSON.parse(await readFile(file, 'utf8')) as { beginning: string };
    await writeFile(file, JSON.stringify({ beginning, offset: -5 }));
    await using server = start();
    await server.ask('append', '1', '2');
    await server.ask('close');
    const names = ingest.requests.flatMap((request) => request.names).join();
    return [names, names === 'Player0,Player0,Player1'];
  },
  'a lost position and a deleted file': async ({ ingest, outbox, start }) => {
    {
      await using server = start();
      await server.ask('append', '0', '2');
      await server.ask('close');
    }
    await writeFile(join(outbox, 'outbox.position'), 'damaged');
    await using server = start();
    await ingest.until(2);
    await rm(join(outbox, 'outbox.ndjson'));
    await server.ask('append', '2', '3');
    await server.ask('close');
    const names = ingest.requests.map((request) => request.names.join()).join(' | ');
    return [names, names.endsWith('Player0,Player1 | Player2')];
  },
  'the last events leave when the server stops': async ({ ingest, start }) => {
    await using server = start();
    await server.ask('append', '0', '1000');
    const ms = (await server.ask('close')) as number;
    const count = ingest.requests.flatMap(({ names }) => names).length;
    return [`${count} in ${ms} ms`, count === 1_000 && ms < MAX_CLOSE_MS];
  },
  'a service that does not answer does not hold up the stop': async ({ ingest, start }) => {
    ingest.answer = () => undefined;
    await using server = start();
    await server.ask('append', '0', '10');
    await ingest.until(1);
    const ms = (await server.ask('close')) as number;
    return [`${ms} ms`, ms < MAX_CLOSE_MS];
  },
  'of two servers with one folder, one sends': async ({ ingest, start }) => {
    await using first = start();
    await first.ask('append', '0', '1');
    await ingest.until(1);
    await using second = start();
    const warning = await warningOf(second);
    return [warning, /Another process sends/.test(warning) && ingest.requests.length === 1];
  },
};

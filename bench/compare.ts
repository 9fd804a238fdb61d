import type { BenchRequest, Case } from './case.ts';
import type { Measured } from './measured-process.ts';
import { median } from './statistics.ts';

/** One line of what a run found. */
export interface Result {
  name: string;
  /** Requests per second over those of the bare responder. */
  ratio: number;
  requests_per_second: number;
  p99_ms: number;
  /** As `ratio`, per second of CPU time, which other work on the machine disturbs less. */
  cpu_ratio: number;
  cpu_us: number;
  /** The largest body among the samples. */
  bytes?: number;
}

export type Served = Measured<{ port: number }>;

const ROUND_MS = 1000;
const SAMPLES = 50;
/** Connection headers are added by whoever sends. */
const BY_THE_SENDER = /^(date|connection|keep-alive|transfer-encoding)$/;

/** Measures a door and a bare responder that sends the same bytes, in turns. */
export async function compare(service: Served, baseline: Served, one: Case, rounds: number): Promise<Result> {
  const origin = `http://127.0.0.1:${service.facts.port}`;
  const ms = one.ms ?? ROUND_MS;
  await one.prepare?.(origin);
  const samples = await Promise.all(Array.from({ length: SAMPLES }, () => sampleOf(origin, one.ask()!)));
  await baseline.tell(samples);
  const again = textOf(one.ask()!);
  const turns: { ours: Round; theirs: Round }[] = [];
  for (let turn = 0; turn <= rounds; turn++) {
    await one.prepare?.(origin);
    const ours = await service.round(() => textOf(one.ask()), ms);
    turns.push({ ours, theirs: await baseline.round(one.prepare ? () => again : () => textOf(one.ask()), ms) });
  }
  // The first turn warms up.
  const found = turns.slice(1);
  for (const { ours } of found) checkAnswers(one, ours);
  return {
    name: one.name,
    ...figuresOf(found),
    bytes: Math.max(...samples.map(({ body }) => Buffer.byteLength(body))),
  };
}

/** A door on a network of some size, and what is asked there. */
export interface Sized {
  service: Served;
  one: Case;
}

/** Short ones behind each other, since the machine itself is quicker at one time than at another. */
const TURN_MS = 500;
const TURNS_A_ROUND = 4;

/** How many times as much CPU time the same read takes on a larger network as on a smaller one, in turns. */
export async function compareSizes(small: Sized, large: Sized, rounds: number): Promise<Result> {
  const turnOf = ({ service, one }: Sized): Promise<Round> => service.round(() => textOf(one.ask()), TURN_MS);
  const turns: { ours: Round; theirs: Round }[] = [];
  for (let turn = 0; turn <= rounds * TURNS_A_ROUND; turn++) {
    const theirs = await turnOf(small);
    turns.push({ ours: await turnOf(large), theirs });
  }
  const found = turns.slice(1);
  for (const { ours, theirs } of found) for (const round of [ours, theirs]) checkAnswers(large.one, round);
  const times = median(found.map(({ ours, theirs }) => ours.cpu / theirs.cpu));
  return { name: `growth of ${large.one.name}`, ...figuresOf(found), ratio: times, cpu_ratio: times };
}

type Round = Awaited<ReturnType<Served['round']>>;

function figuresOf(turns: { ours: Round; theirs: Round }[]): Omit<Result, 'name'> {
  return {
    ratio: median(turns.map(({ ours, theirs }) => ours.requests / ours.seconds / (theirs.requests / theirs.seconds))),
    requests_per_second: Math.round(median(turns.map(({ ours }) => ours.requests / ours.seconds))),
    p99_ms: median(turns.map(({ ours }) => ours.p99)),
    cpu_ratio: median(turns.map(({ ours, theirs }) => theirs.cpu / ours.cpu)),
    cpu_us: median(turns.map(({ ours }) => ours.cpu * 1e6)),
  };
}

function checkAnswers({ name, status }: Case, { statuses }: Round): void {
  if (statuses.size === 1 && statuses.has(status)) return;
  throw new Error(`${name}: expected ${status} only, got ${JSON.stringify([...statuses])}`);
}

function textOf(ask: BenchRequest): string;
function textOf(ask: BenchRequest | undefined): string | undefined;
function textOf(ask: BenchRequest | undefined): string | undefined {
  if (ask === undefined) return undefined;
  const { method = 'GET', path, headers = {}, body } = ask;
  let text = `${method} ${path} HTTP/1.1\r\nHost: bench\r\n`;
  for (const name in headers) text += `${name}: ${headers[name]}\r\n`;
  if (body !== undefined) text += `content-length: ${body.length}\r\n`;
  return `${text}\r\n${body ?? ''}`;
}

interface Sample {
  status: number;
  headers: string[];
  body: string;
}

/** What the bare responder is to send. */
async function sampleOf(origin: string, { method = 'GET', path, headers, body }: BenchRequest): Promise<Sample> {
  const sent = { 'accept-encoding': 'identity', ...headers };
  const answer = await fetch(origin + path, { method, headers: sent, body: body ?? null });
  const cached = [...answer.headers].filter(([name]) => !BY_THE_SENDER.test(name));
  const text = await answer.text();
  if (answer.status !== 304 && !answer.headers.has('content-length'))
    cached.push(['content-length', String(Buffer.byteLength(text))]);
  return { status: answer.status, headers: cached.flat(), body: text };
}

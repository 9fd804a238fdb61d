import type { BenchRequest, Case } from './case.ts';
import type { Measured } from './measured-process.ts';
import { median } from './statistics.ts';

/** The figures of one case. */
export interface Result {
  name: string;
  /** Whether the ratios compare it with the baseline. */
  hasBaseline: boolean;
  /** Requests per second, divided by those of the baseline. */
  ratio: number;
  requests_per_second: number;
  p99_ms: number;
  /** As `ratio`, per second of CPU time, which other work on the machine affects less. */
  cpu_ratio: number;
  /** CPU time a request. */
  cpu_us: number;
  /** The largest body among the samples. */
  bytes?: number;
}

export type Served = Measured<{ port: number }>;

const ROUND_MS = 1000;
const SAMPLES = 50;
/** Headers that `node:http` adds to the responses of the baseline itself. */
const ADDED_BY_NODE = /^(date|connection|keep-alive|transfer-encoding)$/;

/** Measures a service and a baseline that sends the same bytes, in turns. */
export async function compare(service: Served, baseline: Served, one: Case, rounds: number): Promise<Result> {
  const origin = `http://127.0.0.1:${service.facts.port}`;
  const ms = one.ms ?? ROUND_MS;
  await one.prepare?.(origin);
  const samples = await Promise.all(Array.from({ length: SAMPLES }, () => recordSample(origin, one.nextRequest()!)));
  await baseline.send(samples);
  // The baseline must not use up the prepared data, so it gets the same request every time.
  const repeated = httpText(one.nextRequest()!);
  const turns: { ours: Round; theirs: Round }[] = [];
  for (let turn = 0; turn <= rounds; turn++) {
    await one.prepare?.(origin);
    const ours = await service.round(() => httpText(one.nextRequest()), ms);
    const next = one.prepare ? () => repeated : () => httpText(one.nextRequest());
    turns.push({ ours, theirs: await baseline.round(next, ms) });
  }
  const measured = withoutWarmUp(turns);
  for (const { ours } of measured) checkStatuses(one, ours);
  return {
    name: one.name,
    hasBaseline: true,
    ...figures(measured),
    bytes: Math.max(...samples.map(({ body }) => Buffer.byteLength(body))),
  };
}

/** A service with a database of some size, and a case for it. */
export interface Sized {
  service: Served;
  one: Case;
}

/** Short turns in quick succession, because the speed of the machine varies over time. */
const TURN_MS = 500;
const TURNS_A_ROUND = 4;

/** The CPU time of a read with a large database, divided by that with a small one. Both are measured in turns. */
export async function compareSizes(small: Sized, large: Sized, rounds: number): Promise<Result> {
  const turnOf = ({ service, one }: Sized): Promise<Round> => service.round(() => httpText(one.nextRequest()), TURN_MS);
  const turns: { ours: Round; theirs: Round }[] = [];
  for (let turn = 0; turn <= rounds * TURNS_A_ROUND; turn++) {
    const theirs = await turnOf(small);
    turns.push({ ours: await turnOf(large), theirs });
  }
  const measured = withoutWarmUp(turns);
  for (const { ours, theirs } of measured) for (const round of [ours, theirs]) checkStatuses(large.one, round);
  const growth = median(measured.map(({ ours, theirs }) => ours.cpu / theirs.cpu));
  return {
    name: `growth of ${large.one.name}`,
    hasBaseline: false,
    ...figures(measured),
    ratio: growth,
    cpu_ratio: growth,
  };
}

type Round = Awaited<ReturnType<Served['round']>>;

/** The first turn warms up both processes. */
const withoutWarmUp = <T>(turns: readonly T[]): T[] => turns.slice(1);

function figures(turns: { ours: Round; theirs: Round }[]): Omit<Result, 'name' | 'hasBaseline'> {
  return {
    ratio: median(turns.map(({ ours, theirs }) => ours.requests / ours.seconds / (theirs.requests / theirs.seconds))),
    requests_per_second: Math.round(median(turns.map(({ ours }) => ours.requests / ours.seconds))),
    p99_ms: median(turns.map(({ ours }) => ours.p99)),
    cpu_ratio: median(turns.map(({ ours, theirs }) => theirs.cpu / ours.cpu)),
    cpu_us: median(turns.map(({ ours }) => ours.cpu * 1e6)),
  };
}

function checkStatuses({ name, status }: Case, { statuses }: Round): void {
  if (statuses.size === 1 && statuses.has(status)) return;
  throw new Error(`${name}: every status must be ${status}, but the counts are ${JSON.stringify([...statuses])}`);
}

function httpText(request: BenchRequest): string;
function httpText(request: BenchRequest | undefined): string | undefined;
function httpText(request: BenchRequest | undefined): string | undefined {
  if (request === undefined) return undefined;
  const { method = 'GET', path, headers = {}, body } = request;
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

/** Records a response of the service for the baseline. */
async function recordSample(origin: string, { method = 'GET', path, headers, body }: BenchRequest): Promise<Sample> {
  const sentHeaders = { 'accept-encoding': 'identity', ...headers };
  const response = await fetch(origin + path, { method, headers: sentHeaders, body: body ?? null });
  const recorded = [...response.headers].filter(([name]) => !ADDED_BY_NODE.test(name));
  const text = await response.text();
  if (response.status !== 304 && !response.headers.has('content-length'))
    recorded.push(['content-length', String(Buffer.byteLength(text))]);
  return { status: response.status, headers: recorded.flat(), body: text };
}

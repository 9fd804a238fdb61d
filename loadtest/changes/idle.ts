import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { secretHash } from '#platform/crypto/secrets.ts';
import { openDb } from '#db/open.ts';
import { answerOf } from '#test/support/child-reply.ts';
import type { LoadTestOptions } from '../options.ts';
import type { Report } from '../report.ts';
import { databases, dialectsOf } from '../support/databases.ts';
import { prepare } from '../support/prepare.ts';
import { serveProcess } from '../support/served-process.ts';
import { createSubscribers, rename, Subscribers, STREAM_LIMITS, STREAM_PATH } from './subscribers.ts';

const STREAMS = 5_000;
const CHANGES = 10;
const MAX_RATIO = 2;
const APPLICATIONS = 100;
const COMMENT_S = 15;
/** CPU time a second of reading the head ten times, whatever the number of streams: half a per cent of a core. */
const POLLING_MS = 5;
const TIMEOUT_MS = 30_000;

/** Memory and CPU time of idle streams, and of one change to all, compared with a baseline server that sends the same bytes. */
export async function testIdle(report: Report, options: LoadTestOptions): Promise<void> {
  const { database, matches = STREAMS } = options;
  // Both servers send as many comments in it.
  const seconds = Math.ceil(options.seconds / COMMENT_S) * COMMENT_S * 2;
  for (const dialect of dialectsOf(database)) {
    await using opened = await databases(dialect);
    const service = await measureService(await opened.create(), matches, seconds);
    const baseline = await measureBaseline(service.event, matches, seconds);
    const compare = (name: string, unit: string, ours: number, theirs: number, floor = 0): void =>
      report.add(
        `${dialect}: ${name}`,
        `${ours.toFixed(1)} ${unit}, baseline ${theirs.toFixed(1)} ${unit}, ratio ${(ours / theirs).toFixed(2)}`,
        ours <= MAX_RATIO * theirs + floor,
      );
    compare(`memory of ${matches} idle streams`, 'MB', service.memory, baseline.memory);
    compare(`CPU of them in ${seconds} s`, 'ms', service.idle, baseline.idle, POLLING_MS * seconds);
    compare('CPU of one change to all', 'ms', service.change, baseline.change);
    report.note(`${dialect}: CPU of the main thread during ${CHANGES} changes`, `${service.mainThread} ms`);
    const [alone, followed] = service.delays as [number[], number[]];
    report.note(
      `${dialect}: longest event loop delay of the main thread during changes`,
      `${followed[0]!.toFixed(1)} ms, without streams ${alone[0]!.toFixed(1)} ms; of the streams ${followed[1]!.toFixed(1)} ms`,
    );
    report.note(`${dialect}: event`, `${service.event.length} bytes`);
    for (const problem of [...service.problems, ...baseline.problems])
      report.add(`${dialect}: streams`, problem, false);
  }
}

interface Figures {
  /** MB that the streams add. */
  memory: number;
  /** CPU time that they add while nothing changes, in ms. */
  idle: number;
  /** CPU time that they add to one change, in ms. */
  change: number;
  /** The bytes of the change. */
  event: string;
  problems: string[];
  /** The longest event loop delays during changes without and with streams, in ms. */
  delays: number[][];
  /** CPU time of the main thread during the changes, in ms. */
  mainThread: number;
}

/** A server of streams. */
interface Streamed {
  pid: number;
  port: number;
  path: string;
  tokens: readonly string[];
  /** Makes one change. */
  change: () => Promise<void>;
  /** The longest event loop delays since the last call, in ms. */
  delays: () => Promise<number[]>;
}

async function measureService(url: string, streams: number, seconds: number): Promise<Figures> {
  const [key] = (await prepare(url, 1)) as [string];
  const tokens = await (async () => {
    await using db = await openDb(url, { keyedHash: secretHash });
    return await createSubscribers(db, APPLICATIONS);
  })();
  const service = await serveProcess(url, { environment: STREAM_LIMITS });
  let number = 0;
  const change = (): Promise<void> => rename(service.ingest, key, number++);
  const delays = async (): Promise<number[]> => {
    const text = await (await fetch(`http://127.0.0.1:${service.internal}/metrics`)).text();
    const lines = text.split('\n').filter((line) => /^scorehall_event_loop_delay_seconds.*percentile="100"/.test(line));
    const of = (thread: string): number =>
      Number(lines.find((line) => line.includes(`thread="${thread}"`))?.split(' ')[1]) * 1_000;
    return [of('main'), of('streams')];
  };
  try {
    return await measure(
      { pid: service.child.pid!, port: service.api, path: STREAM_PATH, tokens, change, delays },
      streams,
      seconds,
    );
  } finally {
    await service.kill('SIGTERM');
  }
}

async function measureBaseline(event: string, streams: number, seconds: number): Promise<Figures> {
  const child = fork(new URL('./idle-baseline.ts', import.meta.url), { execArgv: [] });
  try {
    const { port } = await answerOf<{ port: number }>(child);
    const change = async (): Promise<void> => void child.send(event);
    return await measure(
      { pid: child.pid!, port, path: '/', tokens: [''], change, delays: async () => [] },
      streams,
      seconds,
    );
  } finally {
    child.disconnect();
  }
}

async function measure(
  { pid, port, path, tokens, change, delays }: Streamed,
  streams: number,
  seconds: number,
): Promise<Figures> {
  // The first changes load and compile what the following ones use.
  for (let count = 0; count < CHANGES; count++) await change();
  await sleep(1_000);
  const restMs = await cpuDuring(pid, () => sleep(seconds * 1_000));
  await delays();
  const aloneMs = await cpuDuring(pid, async () => {
    for (let count = 0; count < CHANGES; count++) await change();
    await sleep(1_000);
  });
  const alone = await delays();
  const before = residentMb(pid);
  using subscribers = new Subscribers();
  const { open, problems } = await subscribers.open({ open: streams, port, path, tokens });
  if (open < streams) problems.push(`${open} of ${streams} streams are open`);
  await sleep(2_000);
  await subscribers.report();
  const memory = residentMb(pid) - before;
  const idleMs = await cpuDuring(pid, () => sleep(seconds * 1_000));
  let event = '';
  await delays();
  const mainBefore = mainThreadMs(pid);
  const changeMs = await cpuDuring(pid, async () => {
    for (let count = 0; count < CHANGES; count++) {
      await change();
      event = await untilReceived(subscribers, open);
    }
    await sleep(1_000);
  });
  return {
    memory,
    idle: idleMs - restMs,
    change: (changeMs - aloneMs) / CHANGES,
    event,
    problems,
    delays: [alone, await delays()],
    mainThread: mainThreadMs(pid) - mainBefore,
  };
}

/** Waits until every subscriber has the change. @returns its bytes */
async function untilReceived(subscribers: Subscribers, count: number): Promise<string> {
  let received = 0;
  for (const end = performance.now() + TIMEOUT_MS; performance.now() < end; await sleep(100)) {
    const report = await subscribers.report();
    received += report.received;
    if (received >= count) return report.event;
  }
  throw new Error(`${received} of ${count} subscribers received a change within ${TIMEOUT_MS / 1000} s.`);
}

const TICK_MS = 10;

export async function cpuDuring(pid: number, work: () => Promise<void>): Promise<number> {
  const before = cpuMs(pid);
  await work();
  return cpuMs(pid) - before;
}

/** The CPU time of a process and of its children, which send the streams of the service. */
function cpuMs(pid: number): number {
  return childrenOf(pid).reduce((sum, child) => sum + cpuMs(child), ticksMs(`/proc/${pid}/stat`));
}

/** The CPU time of the main thread. */
const mainThreadMs = (pid: number): number => ticksMs(`/proc/${pid}/task/${pid}/stat`);

function ticksMs(file: string): number {
  const [, fields = ''] = readFileSync(file, 'utf8').split(') ');
  const [user, system] = fields.split(' ').slice(11, 13).map(Number);
  return (user! + system!) * TICK_MS;
}

/** The memory of a process and of its children, without what they share. */
export function residentMb(pid: number): number {
  const own = Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))![1]) / 1024;
  return childrenOf(pid).reduce((sum, child) => sum + residentMb(child), own);
}

function childrenOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return children === '' ? [] : children.split(' ').map(Number);
}

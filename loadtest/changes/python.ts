import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadTestOptions } from '../options.ts';
import type { Report } from '../report.ts';
import { databases, dialectsOf } from '../support/databases.ts';
import { createReader, prepare } from '../support/prepare.ts';
import { serveProcess } from '../support/served-process.ts';
import { percentile } from '#bench/statistics.ts';
import { rename, STREAM_PATH } from './subscribers.ts';

const CHANGES = 6;
/** Longer than a change may take, so that none comes with the bytes of the next one. */
const EVERY_MS = 2_000;
/** A change is in the stream 150 ms after its commit at the latest. */
const MAX_MS = 1_000;
const TIMEOUT_MS = 20_000;
const PROGRAM = fileURLToPath(new URL('./subscriber.py', import.meta.url));

/** The packages that read a stream of events in Python, as the registry of Python names them. */
const LIBRARIES = ['requests', 'sseclient-py'] as const;
type Library = (typeof LIBRARIES)[number];

/** Each change reaches programs in Python at once: their HTTP library waits for 512 bytes of a body without chunks. */
export async function testPython(report: Report, { database }: LoadTestOptions): Promise<void> {
  const missing = LIBRARIES.filter((name) => !isInstalled(name));
  for (const name of missing)
    report.add(`Python reads the stream with ${name}`, `python3 has no package ${name}: pip install ${name}`, false);
  if (missing.length > 0) return;
  for (const dialect of dialectsOf(database)) {
    await using opened = await databases(dialect);
    const url = await opened.create();
    const [key] = (await prepare(url, 1)) as [string];
    const token = await createReader(url);
    const service = await serveProcess(url);
    const readers = LIBRARIES.map((library) => new PythonReader(library, service.api, token));
    try {
      await Promise.all(readers.map(({ opened }) => opened));
      for (let number = 0; number < CHANGES; number++) {
        await rename(service.ingest, key, number);
        await sleep(EVERY_MS);
      }
      for (const reader of readers) {
        const delays = await reader.received(CHANGES);
        const [middle, longest] = [percentile(delays, 0.5), Math.max(...delays)];
        const figure = `${delays.length} of ${CHANGES} changes, p50 ${middle} ms, longest ${longest} ms`;
        const isInTime = delays.length === CHANGES && longest <= MAX_MS;
        report.add(`${dialect}: Python reads the stream with ${reader.library}`, figure, isInTime);
      }
    } finally {
      for (const reader of readers) reader.kill();
      await service.kill('SIGTERM');
    }
  }
}

const isInstalled = (name: Library): boolean =>
  spawnSync('python3', ['-c', `import importlib.metadata; importlib.metadata.version('${name}')`]).status === 0;

class PythonReader {
  readonly library: Library;
  /** Resolves when the stream is open. */
  readonly opened: Promise<void>;
  readonly #child;
  readonly #delays: number[] = [];

  constructor(library: Library, port: number, token: string) {
    this.library = library;
    const args = [PROGRAM, library, `http://127.0.0.1:${port}${STREAM_PATH}`, token];
    this.#child = spawn('python3', args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.opened = promise;
    void once(this.#child, 'exit').then(() => reject(new Error(`The program in Python with ${library} has ended.`)));
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      if (line === 'open') resolve();
      else if (line.includes('"time"'))
        this.#delays.push(Date.now() - Date.parse((JSON.parse(line) as { time: string }).time));
    });
  }

  /** The times from a change to its receipt, in milliseconds, as soon as all have come. */
  async received(count: number): Promise<readonly number[]> {
    for (const end = performance.now() + TIMEOUT_MS; performance.now() < end && this.#delays.length < count;)
      await sleep(50);
    return this.#delays;
  }

  kill(): void {
    this.#child.kill();
  }
}

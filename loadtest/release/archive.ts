import { once } from 'node:events';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';
import { addTraces, bootBare, DOWNLOADS, inventory } from './machine.ts';
import type { DebianSetup } from './setup.ts';

const WITHIN_S = 60;

/** From the archive to the answer of the demo's first request, on a machine without Node, npm, git or a network. */
export async function testArchive(setup: DebianSetup): Promise<void> {
  const { report, suite, artefacts } = setup;
  await using container = await bootBare(setup, [artefacts.archive]);
  const before = inventory(container);
  const file = `${DOWNLOADS}/${basename(artefacts.archive)}`;
  const folder = basename(artefacts.archive, '.tar.xz');
  const commands = `cd /root && tar xf ${file} && cd ${folder} && echo $$ >/run/demo && exec ./scorehall demo`;
  const started = performance.now();
  const demo = container.start(['sh', '-ec', commands]);
  const errors: string[] = [];
  demo.stderr!.on('data', (data: Buffer) => errors.push(data.toString()));
  const exited = once(demo, 'exit');
  let request: string | undefined;
  for await (const line of createInterface({ input: demo.stdout! })) {
    request ??= /^ *(curl .*)$/.exec(line)?.[1];
    if (line === 'ready') break;
  }
  const { text } = container.beside(['sh', '-c', request ?? 'true']);
  const seconds = (performance.now() - started) / 1000;
  const isAnswered = text.startsWith('[') || text.startsWith('{');
  const answer = isAnswered ? '' : ` ${text.slice(0, 200)} ${errors.join('').slice(-300)}`;
  const name = `${suite}: seconds from the archive to the answer of the demo`;
  report.add(name, `${seconds.toFixed(1)}${answer}`, isAnswered && seconds < WITHIN_S);
  container.shell('kill -INT $(cat /run/demo)');
  await exited;
  container.shell(`rm -r /root/${folder}`);
  addTraces(setup, 'traces of the archive beside its folder', { container, before });
}

/**
 * A process whose files may not grow beyond a limit, which `ulimit` has set: keeps long lines in a queue until one does
 * not fit, then shorter ones, and prints those that were promised.
 */
import { open } from 'node:fs/promises';
import { DiskQueue } from '#sender/queue.ts';

const [folder, cut] = process.argv.slice(2);
if (cut === 'uncut') await refuseCutting();

const queue = await DiskQueue.open(folder!);
const promised: string[] = [];
const keep = async (length: number): Promise<boolean> => {
  const line = JSON.stringify(`${promised.length} ${'x'.repeat(length)}`);
  const fits = await queue.append([line]).then(
    () => true,
    () => false,
  );
  if (fits) promised.push(line);
  return fits;
};
while (await keep(1_000));
for (const length of [10, 1_000, 20, 1_000, 30]) await keep(length);
await queue.close();
console.log(JSON.stringify(promised));

async function refuseCutting(): Promise<void> {
  const handle = await open(import.meta.filename);
  const methods = Object.getPrototypeOf(handle) as typeof handle;
  methods.truncate = () => Promise.reject(new Error('This file is not cut.'));
  await handle.close();
}

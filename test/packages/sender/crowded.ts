/**
 * A process with a file size limit (`ulimit -f`): appends long lines to a queue until one does not fit, then shorter ones,
 * and prints the lines whose append succeeded.
 */
import { open } from 'node:fs/promises';
import { DiskQueue } from '#sender/queue.ts';

const [folder, cut] = process.argv.slice(2);
if (cut === 'uncut') await refuseTruncate();

const queue = await DiskQueue.open(folder!);
const appended: string[] = [];
const append = async (length: number): Promise<boolean> => {
  const line = JSON.stringify(`${appended.length} ${'x'.repeat(length)}`);
  const fits = await queue.append([line]).then(
    () => true,
    () => false,
  );
  if (fits) appended.push(line);
  return fits;
};
while (await append(1_000));
for (const length of [10, 1_000, 20, 1_000, 30]) await append(length);
await queue.close();
console.log(JSON.stringify(appended));

async function refuseTruncate(): Promise<void> {
  const handle = await open(import.meta.filename);
  const methods = Object.getPrototypeOf(handle) as typeof handle;
  methods.truncate = () => Promise.reject(new Error('This file cannot be truncated.'));
  await handle.close();
}

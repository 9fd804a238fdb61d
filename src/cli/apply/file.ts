import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { z } from 'zod';
import { UsageError } from '#platform/errors.ts';
import { nameKey } from '#text/text.ts';
import { reasonOf as fileProblem } from '#text/file-problem.ts';
import { problemsIn } from '#events/schema/problems.ts';

/** Reads a YAML or JSON file. @throws UsageError that names the file */
export function parseFile(path: string): unknown {
  try {
    return parse(readFileSync(path, 'utf8'), { logLevel: 'error' }) as unknown;
  } catch (error) {
    if ('syscall' in (error as Error)) throw new UsageError(`${path} ${fileProblem(error)}.`);
    const [reason = ''] = (error as Error).message.split(/:?\n/);
    throw new UsageError(`${path} cannot be read: ${reason}.`);
  }
}

/**
 * Reads a list of the file.
 * @param noun what an entry is, for error messages: `server 2 has the name of server 1`
 * @throws UsageError for the first entry that is wrong or has the name of an earlier one, unless their Client IDs tell them apart
 */
export function readEntries<T extends { name: string; client_id?: string | undefined }>(
  path: string,
  noun: string,
  list: unknown,
  entry: z.ZodType<T>,
): T[] {
  if (!Array.isArray(list)) throw new UsageError(`${path}: ${noun}s must be a list.`);
  const seen = new Map<string, { place: number; client_id: string | undefined }>();
  return list.map((item, index) => {
    const place = `${path}, ${noun} ${index + 1}`;
    const { data, error } = entry.safeParse(item);
    if (error !== undefined) throw new UsageError(`${place}: ${reasonOf(error, item)}`);
    const earlier = seen.get(nameKey(data.name));
    const isOther = earlier?.client_id && data.client_id && earlier.client_id !== data.client_id;
    if (earlier !== undefined && !isOther) throw new UsageError(`${place} has the name of ${noun} ${earlier.place}.`);
    seen.set(nameKey(data.name), { place: index + 1, client_id: data.client_id });
    return data;
  });
}

function reasonOf({ issues }: z.ZodError, item: unknown): string {
  if (issues[0]!.code === 'invalid_type' && issues[0]!.path.length === 0) return 'must be an object.';
  return problemsIn(issues, item, [])
    .map(({ reason }) => reason)
    .join(' ');
}

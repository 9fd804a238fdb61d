import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeAccount } from '#test/auth/support.ts';
import { folderOf } from '#test/packages/importers/fixtures.ts';
import { giveApp } from '#test/support/builders.ts';
import { Deliveries } from './deliveries.ts';
import { FILES } from './operator-files.ts';
import { writeSources } from './sources.ts';
import type { World } from './world.ts';

/**
 * Runs the commands of `operator-script.txt`, one a line:
 *
 *   $name = member: COMMAND     keeps a member of the command's JSON output; later lines use it as $name
 *   sqlite: COMMAND             runs on SQLite alone: on PostgreSQL `doctor` finds that the clock of the history is wrong
 *   NAME=VALUE COMMAND          changes a setting
 *   TEXT | COMMAND              gives the command a text on stdin
 *   @name                       a file of `FILES`, or one that a command writes
 *   deliver                     sends the messages of webhooks that are due
 *   $receiver, $challenge       the address that receives them, and the challenge of the last one with one
 */
async function playScript(world: World, folder: string, deliveries: Deliveries): Promise<void> {
  const values: Record<string, string> = { receiver: deliveries.url };
  const script = readFileSync(join(import.meta.dirname, 'operator-script.txt'), 'utf8');
  for (const text of script.split('\n').filter((one) => one !== '')) {
    world.advance(1_000);
    if (text.startsWith('sqlite: ') && world.context.db.dialect !== 'sqlite') continue;
    if (text === 'deliver') {
      values['challenge'] = (await deliveries.deliver()) ?? values['challenge'] ?? 'nothing';
      continue;
    }
    const line = text.replace('sqlite: ', '');
    const [, name, member, rest] = /^\$(\w+) = ([\w.]+): (.*)$/.exec(line) ?? [];
    const [stdin, words] = piped(rest ?? line);
    const [settings, command] = settingsIn(words.split(' '), folder);
    const args = command.map((word) => valueOf(word, values, folder));
    const { out } = await world.commandWith(
      { stdin, settings },
      ...args,
      ...(name === undefined || args.includes('--json') ? [] : ['--json']),
    );
    if (name !== undefined) values[name] = memberOf(out, member!);
  }
}

/** The settings before a command, such as `DATABASE_URL=@other.db`. */
function settingsIn(words: readonly string[], folder: string): [Record<string, string>, string[]] {
  const count = words.findIndex((word) => !/^[A-Z_]+=/.test(word));
  const settings = words.slice(0, count).map((word) => {
    const [name = '', value = ''] = word.split('=');
    return [name, valueOf(value, {}, folder)];
  });
  return [Object.fromEntries(settings) as Record<string, string>, words.slice(count)];
}

function piped(line: string): [string, string] {
  const end = line.indexOf(' | ');
  return end < 0 ? ['', line] : [line.slice(0, end), line.slice(end + 3)];
}

function valueOf(word: string, values: Record<string, string>, folder: string): string {
  if (word.startsWith('@')) return join(folder, word.slice(1));
  return word.startsWith('$') ? (values[word.slice(1)] ?? word) : word;
}

/** A member of printed JSON: `client_id`, `0.id`. A missing one is recorded as `nothing`, and so are the commands that use it. */
function memberOf(out: string, path: string): string {
  let value: unknown;
  try {
    value = JSON.parse(out);
  } catch {
    return 'nothing';
  }
  for (const name of path.split('.')) value = (value as Record<string, unknown> | undefined)?.[name];
  return typeof value === 'string' ? value : 'nothing';
}

export async function playOperator(world: World): Promise<void> {
  await using folder = await folderOf(FILES);
  writeSources(folder.path);
  // No command adds a second factor.
  const { id } = await makeAccount(world, 'Tern');
  await giveApp(world.context, id);
  await using deliveries = await Deliveries.open(world);
  await playScript(world, folder.path, deliveries);
}

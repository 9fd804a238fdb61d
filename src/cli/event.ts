import { UsageError } from '#platform/errors.ts';
import { mapChanges } from '#events/handlers/map-changes.ts';
import { listEventWarnings } from '#store/game/event-warnings.ts';
import { serverByName } from '#store/game/servers.ts';
import {
  type Command,
  type Input,
  JSON_OPTION,
  optional,
  printTable,
  required,
  withAppContext,
} from './command/command.ts';

/** Maximum events with warnings in the list. */
const MAX_WARNINGS = 1_000;

export const commands: Command[] = [
  {
    words: 'event warnings',
    summary: 'List accepted events with values that are not plausible, newest first',
    options: { server: { type: 'string', value: 'NAME', help: 'Only events of this server' }, json: JSON_OPTION },
    run: warnings,
  },
  {
    words: 'event map-changes',
    summary: 'List who published which version of a map, newest first',
    options: { name: { type: 'string', required: true, help: 'The name of the map, in any case' }, json: JSON_OPTION },
    run: changes,
  },
];

async function warnings(input: Input): Promise<void> {
  const name = optional(input, 'server');
  await withAppContext(input, async ({ db }) => {
    const server = name === undefined ? undefined : await serverByName(db, name);
    if (name !== undefined && server === undefined)
      throw new UsageError(`There is no server ${name}; see: scorehall server list`);
    const filter = { before: Number.MAX_SAFE_INTEGER, limit: MAX_WARNINGS, serverKey: server?.key };
    const rows = (await listEventWarnings(db, filter)).flatMap(({ warnings: all, serverKey: _, received, ...event }) =>
      all.map((warning) => ({ received: new Date(received).toISOString(), ...event, ...warning })),
    );
    printTable(input, rows);
  });
}

async function changes(input: Input): Promise<void> {
  const name = required(input, 'name');
  await withAppContext(input, async ({ db }) => {
    const found = await mapChanges(db, name);
    if (found.length === 0) throw new UsageError(`No map ${name} was ever published.`);
    const dated = found.map(({ time, received, ...change }) => ({
      time: new Date(time).toISOString(),
      received: new Date(received).toISOString(),
      ...change,
    }));
    printTable(input, dated);
  });
}

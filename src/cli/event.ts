import type { AppContext } from '#context/context.ts';
import { UsageError } from '#platform/errors.ts';
import { mapChanges } from '#events/handlers/map-changes.ts';
import { listEventWarnings } from '#store/game/event-warnings.ts';
import { serverByName } from '#store/game/servers.ts';
import { type Command, type Input, mandatory, option, reading } from './command/command.ts';

const MAX_WARNINGS = 1_000;

export const commands: Command[] = [
  reading('event warnings', 'List accepted events with values that are not plausible, newest first', warnings, {
    server: option('NAME', 'Only events of this server'),
  }),
  reading('event map-changes', 'List who published which version of a map, newest first', changes, {
    name: mandatory('VALUE', 'The name of the map, in any case'),
  }),
];

async function warnings({ db }: AppContext, input: Input) {
  const name = input.optional('server');
  const server = name === undefined ? undefined : await serverByName(db, name);
  if (name !== undefined && server === undefined)
    throw new UsageError(`There is no server ${name}; see: scorehall server list`);
  const filter = { before: Number.MAX_SAFE_INTEGER, limit: MAX_WARNINGS, serverKey: server?.key };
  return (await listEventWarnings(db, filter)).flatMap(({ warnings: all, serverKey: _, received, ...event }) =>
    all.map((warning) => ({ received: new Date(received).toISOString(), ...event, ...warning })),
  );
}

async function changes({ db }: AppContext, input: Input) {
  const name = input.required('name');
  const found = await mapChanges(db, name);
  if (found.length === 0) throw new UsageError(`No map ${name} was ever published.`);
  return found.map(({ time, received, ...change }) => ({
    time: new Date(time).toISOString(),
    received: new Date(received).toISOString(),
    ...change,
  }));
}

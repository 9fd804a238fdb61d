import { randomUUID } from 'node:crypto';
import { UsageError } from '#platform/errors.ts';
import { uuidOf } from '#platform/text.ts';
import { ingestEvents } from '#events/ledger.ts';
import { findPlayer } from '#store/game/players.ts';
import { type Command, type Input, JSON_OPTION, print, required, withAppContext } from './command.ts';

export const commands: Command[] = [
  {
    words: 'player merge',
    audit: { action: 'player.merge', about: 'from' },
    summary: 'Merge one UUID into another, for past and future events; this cannot be undone',
    options: {
      from: { type: 'string', value: 'UUID', help: 'The UUID to give up, for example of offline mode or Bedrock' },
      into: { type: 'string', value: 'UUID', help: 'The UUID that gets all events of the other' },
      json: JSON_OPTION,
    },
    run: merge,
  },
];

async function merge(input: Input): Promise<void> {
  const [from, into] = [readUuid(input, 'from'), readUuid(input, 'into')];
  await withAppContext(async ({ db, clock }) => {
    const time = new Date(clock.now()).toISOString();
    const event = { version: 1, id: `command ${randomUUID()}`, type: 'player.merged', time, data: { from, into } };
    const [receipt] = await ingestEvents(db, clock, { kind: 'operator' }, [event]);
    if (receipt!.status === 'rejected') {
      throw new UsageError(`--${receipt!.place.replace(/^data\./, '')} ${receipt!.reason}.`);
    }
    const player = await findPlayer(db, into);
    print(input, { from, into, name: player?.name ?? null });
  });
}

function readUuid(input: Input, name: string): string {
  const text = required(input, name);
  const uuid = uuidOf(text);
  if (uuid === undefined) throw new UsageError(`--${name} must be a UUID (it is "${text}").`);
  // The audit log records the normalised UUID.
  input.values[name] = uuid;
  return uuid;
}

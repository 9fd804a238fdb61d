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
    summary: 'Make all of one UUID count for another, now and for what comes: it cannot be taken back',
    options: {
      from: { type: 'string', value: 'UUID', help: 'The UUID that is given up: of offline mode, of Bedrock' },
      into: { type: 'string', value: 'UUID', help: 'The UUID that it counts for from now on' },
      json: JSON_OPTION,
    },
    run: merge,
  },
];

async function merge(input: Input): Promise<void> {
  const [from, into] = [uuid(input, 'from'), uuid(input, 'into')];
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

function uuid(input: Input, name: string): string {
  const text = required(input, name);
  const read = uuidOf(text);
  if (read === undefined) throw new UsageError(`--${name} must be a UUID (it is "${text}").`);
  // The audit log has it as it is printed, however it was typed.
  input.values[name] = read;
  return read;
}

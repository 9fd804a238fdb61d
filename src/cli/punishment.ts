import { UsageError } from '#platform/errors.ts';
import { idOf, keyOf } from '#platform/ids.ts';
import { revokePunishment } from '#events/operator-events.ts';
import { punishmentByKey } from '#store/game/punishments.ts';
import { type Command, type Input, JSON_OPTION, print, required, withAppContext } from './command.ts';

export const commands: Command[] = [
  {
    words: 'punishment revoke',
    summary: 'Revoke a punishment; the reason is recorded in the audit log',
    options: {
      punishment: { type: 'string', value: 'ID', help: 'The id of the punishment, as the data API shows it' },
      reason: { type: 'string', value: 'TEXT', help: 'The reason for the revocation' },
      json: JSON_OPTION,
    },
    audit: { action: 'punishment.revoke', about: 'punishment' },
    run: revoke,
  },
];

async function revoke(input: Input): Promise<void> {
  const id = required(input, 'punishment');
  required(input, 'reason');
  await withAppContext(async ({ db, clock }) => {
    const key = keyOf(id) ?? 0;
    const receipt = await revokePunishment(db, clock, key);
    if (receipt === undefined) throw new UsageError(`No punishment has the id ${id}.`);
    if (receipt.status === 'rejected') throw new UsageError(`The punishment cannot be revoked: ${receipt.reason}.`);
    const { type, punished, state } = (await punishmentByKey(db, key, clock.now()))!;
    print(input, { id: idOf(key), type, name: punished.name, uuid: punished.uuid, state });
  });
}

import type { AppContext } from '#context/context.ts';
import { createSecret, withdrawSecret } from '#admin/applications.ts';
import { type Application, secretsOf } from '#store/applications/applications.ts';
import { type Command, commandAbout, timestampOf } from '../command/command.ts';
import { byClientId } from '#admin/targets.ts';
import { command } from '../command/operation-command.ts';

export const secretCommands: Command[] = [
  commandAbout(byClientId, 'app secret list', "List the names and ids of an application's valid secrets", list),
  command(createSecret, 'app secret add', {
    result: (_, { client_id, name }, { secret }) => ({ client_id, name, client_secret: secret }),
  }),
  command(withdrawSecret, 'app secret withdraw', {
    confirm: ({ client_id, name }, { secret, valid }, { id }) => ({
      act: `This withdraws 1 of ${valid} secrets of ${name} (${secret.name || id}): programs that use it can no longer get tokens.`,
      impact: { client_id, name, id, secret_name: secret.name, secrets: valid },
    }),
    result: (_, { client_id, name }, __, { id }) => ({ client_id, name, id, withdrawn: true }),
  }),
];

async function list({ db }: AppContext, { key }: Application) {
  const secrets = await secretsOf(db, key);
  return secrets.map(({ created, ...secret }) => ({ ...secret, created: timestampOf(created) }));
}

import type { AppContext } from '#context/context.ts';
import { createSecret, withdrawSecret } from '#admin/applications.ts';
import { MAX_SECRETS, secretsOf } from '#store/applications/applications.ts';
import { CLIENT, type Command, inContext, type Input } from '../command/command.ts';
import { byClientId } from '../command/lookup.ts';
import { command } from '../command/operation-command.ts';

export const secretCommands: Command[] = [
  {
    words: 'app secret list',
    summary: "List the names and ids of an application's valid secrets",
    options: CLIENT,
    run: inContext(list),
  },
  command(createSecret, {
    words: 'app secret add',
    summary: 'Add a Client Secret to a service and print it once; the existing secrets stay valid',
    row: byClientId,
    options: { name: { value: 'NAME', help: 'A name that tells it apart: where it is used' } },
    refused: {
      not_service: ({ name, type }) => `${name} has the type ${type}; only a service has secrets.`,
      enough_secrets: ({ name }) =>
        `${name} already has ${MAX_SECRETS} secrets, the maximum; withdraw one of them first.`,
    },
    result: (_, { client_id, name }, { secret }) => ({ client_id, name, client_secret: secret }),
  }),
  command(withdrawSecret, {
    words: 'app secret withdraw',
    summary: 'Withdraw a Client Secret, effective immediately',
    row: byClientId,
    options: { id: { value: 'ID', help: 'The id of the secret, as "app secret list" shows it' } },
    confirm: ({ client_id, name }, { secret, valid }, { id }) => ({
      act: `This withdraws 1 of ${valid} secrets of ${name} (${secret.name || id}): programs that use it can no longer get tokens.`,
      impact: { client_id, name, id, secret_name: secret.name, secrets: valid },
    }),
    refused: {
      unknown_secret: ({ client_id, name }, { id }) =>
        `${name} has no secret ${id}; see: scorehall app secret list --client-id ${client_id}`,
    },
    result: (_, { client_id, name }, __, { id }) => ({ client_id, name, id, withdrawn: true }),
  }),
];

async function list(context: AppContext, input: Input) {
  const { key } = await byClientId.find(context, input);
  const secrets = await secretsOf(context.db, key);
  return secrets.map(({ created, ...secret }) => ({ ...secret, created: new Date(created).toISOString() }));
}

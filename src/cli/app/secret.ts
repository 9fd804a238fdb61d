import { UsageError } from '#platform/errors.ts';
import { addFurtherSecret, MAX_SECRETS, removeSecret, secretsOf } from '#store/applications/applications.ts';
import { CLIENT, type Command, type Input, print, printTable, required, withAppContext } from '../command/command.ts';
import { requireApplication } from '../command/lookup.ts';

export const secretCommands: Command[] = [
  {
    words: 'app secret list',
    summary: "List the ids of an application's valid secrets",
    options: CLIENT,
    run: list,
  },
  {
    words: 'app secret add',
    audit: { action: 'application.secret.create', about: 'client-id' },
    summary: 'Add a Client Secret to a service and print it once; the existing secrets stay valid',
    options: CLIENT,
    run: add,
  },
  {
    words: 'app secret withdraw',
    audit: { action: 'application.secret.withdraw', about: 'client-id' },
    summary: 'Withdraw a Client Secret, effective immediately',
    options: {
      ...CLIENT,
      id: { type: 'string', value: 'ID', required: true, help: 'The id of the secret, as "app secret list" shows it' },
    },
    run: withdraw,
  },
];

async function list(input: Input): Promise<void> {
  await withAppContext(input, async ({ db }) => {
    const { key } = await requireApplication(db, required(input, 'client-id'));
    const secrets = await secretsOf(db, key);
    printTable(
      input,
      secrets.map(({ id, created }) => ({ id, created: new Date(created).toISOString() })),
    );
  });
}

async function add(input: Input): Promise<void> {
  await withAppContext(input, async ({ db, clock }) => {
    const { key, client_id, name, type } = await requireApplication(db, required(input, 'client-id'));
    if (type !== 'service') throw new UsageError(`${name} has the type ${type}; only a service has secrets.`);
    const client_secret = await db.transaction((tx) => addFurtherSecret(tx, clock.now(), key));
    if (client_secret === undefined)
      throw new UsageError(`${name} already has ${MAX_SECRETS} secrets, the maximum; withdraw one of them first.`);
    print(input, { client_id, name, client_secret });
  });
}

async function withdraw(input: Input): Promise<void> {
  const id = required(input, 'id');
  await withAppContext(input, async ({ db }) => {
    const { key, client_id, name } = await requireApplication(db, required(input, 'client-id'));
    if (!(await removeSecret(db, key, id))) {
      throw new UsageError(`${name} has no secret ${id}; see: scorehall app secret list --client-id ${client_id}`);
    }
    print(input, { client_id, name, id, withdrawn: true });
  });
}

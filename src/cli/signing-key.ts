import { openSecretKey } from '#platform/crypto/secret-key.ts';
import { signingKeys } from '#store/accounts/signing-keys.ts';
import { publishedKeys, rotateKeys } from '#auth/oidc/keys.ts';
import { type Command, type Input, JSON_OPTION, print, printTable, withAppContext } from './command.ts';

const OPTIONS: Command['options'] = { json: JSON_OPTION };

export const commands: Command[] = [
  {
    words: 'signing-key rotate',
    audit: { action: 'signing-key.rotate', about: 'kid' },
    summary:
      'Create a signing key for ID tokens: published within a minute, used after an hour; earlier tokens stay valid',
    options: OPTIONS,
    run: rotate,
  },
  {
    words: 'signing-key list',
    summary: 'List the published signing keys; the first one signs',
    options: OPTIONS,
    run: list,
  },
];

async function rotate(input: Input): Promise<void> {
  await withAppContext(async ({ db, config, clock }) => {
    print(input, { kid: await rotateKeys(db, openSecretKey(config), clock.now()) });
  });
}

async function list(input: Input): Promise<void> {
  await withAppContext(async ({ db, clock }) => {
    const rows = await signingKeys(db);
    const published = rows.length === 0 ? [] : publishedKeys(rows, clock.now());
    printTable(
      input,
      published.map(({ kid, created }, place) => ({
        kid,
        state: place === 0 ? 'signs' : 'published',
        created: new Date(created).toISOString(),
      })),
    );
  });
}

import type { AppContext } from '#context/context.ts';
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { selfSignedCertificate } from '#platform/crypto/certificate.ts';
import { openSecretKey } from '#platform/crypto/secret-key.ts';
import { currentKeys, publishedKeys, rotateKeys, signingKeys, withdrawKey } from '#store/accounts/signing-keys.ts';
import { UsageError } from '#platform/errors.ts';
import { output } from '#platform/process/output.ts';
import {
  carryOut,
  type Command,
  flag,
  inContext,
  type Input,
  JSON_OPTION,
  mandatory,
  option,
  reading,
  withAppContext,
} from './command/command.ts';
import { CONFIRMATION, isConfirmed } from './command/operation-command.ts';

export const commands: Command[] = [
  {
    words: 'signing-key rotate',
    audit: { action: 'signing-key.rotate', about: 'kid' },
    summary:
      'Create a signing key for ID tokens: published within a second, used after 65 minutes; earlier tokens stay valid',
    options: { json: JSON_OPTION },
    run: inContext(rotate),
  },
  {
    words: 'signing-key withdraw',
    audit: { action: 'signing-key.withdraw', about: 'kid' },
    summary: 'Withdraw a signing key that leaked, at every process within a second; this cannot be undone',
    options: {
      kid: mandatory('KID', 'The key, from "signing-key list"'),
      json: JSON_OPTION,
      ...CONFIRMATION,
    },
    run: inContext(withdraw),
  },
  reading('signing-key list', 'List the published signing keys; the first one signs', list),
  {
    words: 'signing-key export',
    summary: 'Print the public part of a signing key, for programs that pin it instead of reading /oauth/jwks',
    options: {
      pem: flag('As a public key (SPKI, PEM)'),
      certificate: flag('As a self-signed X.509 certificate (PEM)'),
      kid: option('KID', 'The key, from "signing-key list" (default: the key that signs)'),
    },
    run: exportKey,
  },
];

async function rotate(context: AppContext, input: Input) {
  const secret = openSecretKey(context.config);
  return await carryOut(input, context, async (tx) => ({ kid: await rotateKeys(tx, secret, context.clock.now()) }));
}

async function withdraw(context: AppContext, input: Input) {
  const { db, config, clock } = context;
  const [kid, now] = [input.required('kid'), clock.now()];
  const rows = await signingKeys(db);
  const published = rows.length === 0 ? [] : publishedKeys(rows, now);
  if (!published.some((key) => key.kid === kid)) throw unpublished(kid, published);
  const [signing] = published;
  const state = kid === signing!.kid ? 'signs' : 'published';
  const next =
    kid !== signing!.kid
      ? 'The key that signs stays.'
      : rows.at(-1) === signing
        ? 'A new key signs at once.'
        : 'The next published key signs at once.';
  const act =
    `This refuses all ID tokens that ${kid} has signed. ${next} ` +
    'Applications refuse ID tokens of a key that is not in their copy of /oauth/jwks until they fetch it again.';
  if (!isConfirmed(input, act, { kid, state })) return undefined;
  return await carryOut(input, context, async (tx) => ({
    kid,
    signs: await withdrawKey(tx, openSecretKey(config), { kid, now }),
  }));
}

const unpublished = (kid: string, keys: readonly { kid?: string }[]): UsageError =>
  new UsageError(
    `There is no published key ${kid}. There ${keys.length === 0 ? 'are none' : `are: ${keys.map((key) => key.kid).join(', ')}`}.`,
  );

async function list({ db, clock }: AppContext) {
  const rows = await signingKeys(db);
  const published = rows.length === 0 ? [] : publishedKeys(rows, clock.now());
  return published.map(({ kid, created }, place) => ({
    kid,
    state: place === 0 ? 'signs' : 'published',
    created: new Date(created).toISOString(),
  }));
}

async function exportKey(input: Input): Promise<void> {
  const { pem = false, certificate = false } = input.values;
  if (pem === certificate) throw new UsageError('Choose one of --pem and --certificate.');
  await withAppContext(input, async ({ db, config, clock }) => {
    const keys = await currentKeys(db, openSecretKey(config), clock.now());
    const kid = input.optional('kid') ?? keys[0]!.kid!;
    const jwk = keys.find((key) => key.kid === kid);
    if (jwk === undefined) throw unpublished(kid, keys);
    const key = createPrivateKey({ key: jwk, format: 'jwk' });
    const created = (await signingKeys(db)).find((row) => row.kid === kid)!.created;
    output().write(
      certificate === true
        ? selfSignedCertificate(key, kid, new Date(created))
        : createPublicKey(key).export({ type: 'spki', format: 'pem' }),
    );
  });
}

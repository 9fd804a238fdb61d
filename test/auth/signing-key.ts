import type { JWK } from 'jose';
import { addSigningKey, currentKeys } from '#store/accounts/signing-keys.ts';
import type { AppContext } from '#context/context.ts';
import { openSecretKey } from '#platform/crypto/secret-key.ts';
import { seal } from '#platform/crypto/seal.ts';

let generated: JWK | undefined;

/**
 * Stores the signing key that all tests share, unless the database has one: generating an RSA key takes 90 ms of CPU time,
 * four times as much as the rest of the start of the sign-in.
 */
export async function shareSigningKey({
  db,
  config,
  clock,
}: Pick<AppContext, 'db' | 'config' | 'clock'>): Promise<void> {
  const secret = openSecretKey(config);
  if (generated === undefined) [generated] = await currentKeys(db, secret, clock.now());
  const sealed = seal(secret.derive('signing keys'), JSON.stringify(generated));
  await addSigningKey(db, { kid: generated!.kid!, created: clock.now(), sealed }, undefined);
}

import { createHmac, randomBytes } from 'node:crypto';
import { base32 } from '../text/base32.ts';
import { sameText } from './secrets.ts';

/** Codes of authenticator apps (RFC 6238) with the parameters that all apps know: SHA-1, six digits, 30 seconds. */
const STEP_MS = 30_000;
const DIGITS = 6;
/** Bytes of a secret, as long as the hash (RFC 4226 section 4, R6). */
const SECRET_BYTES = 20;

/** A new secret in hexadecimal digits. */
export const newTotpSecret = (): string => randomBytes(SECRET_BYTES).toString('hex');

/** The secret as a person types it into an app: groups of four letters and digits of base32. */
export const totpSecretText = (secret: string): string =>
  base32(Buffer.from(secret, 'hex'))
    .replace(/.{4}(?=.)/g, '$& ')
    .toUpperCase();

/** The address that an app reads from a QR code. */
export function totpUri(secret: string, issuer: string, account: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?secret=${base32(Buffer.from(secret, 'hex'))}&issuer=${encodeURIComponent(issuer)}`;
}

export function totpCode(secret: string, step: number, digits = DIGITS): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const hmac = createHmac('sha1', Buffer.from(secret, 'hex')).update(counter).digest();
  const offset = hmac.at(-1)! & 0xf;
  const number = (hmac.readUInt32BE(offset) & 0x7fff_ffff) % 10 ** digits;
  return String(number).padStart(digits, '0');
}

export const totpStep = (now: number): number => Math.floor(now / STEP_MS);

/** The time steps with this code: the present one, and one before and after it for clocks that differ. Oldest first. */
export function matchingSteps(secret: string, code: string, now: number): number[] {
  const present = totpStep(now);
  return [present - 1, present, present + 1].filter((step) => sameText(totpCode(secret, step), code));
}

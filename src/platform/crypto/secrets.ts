import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Generates a secret: 256 random bits in base64url. The prefix lets secret scanners recognise it. */
export function newSecret(prefix = ''): string {
  return prefix + randomBytes(32).toString('base64url');
}

/** The SHA-256 of a secret in base64url, which is stored in its place. Only for random secrets; passwords use Argon2id. */
export function secretHash(secret: string): string {
  return hash('sha256', secret, 'base64url');
}

/** Compares two texts in constant time, so that the duration does not reveal where they differ. */
export function sameText(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b));
}

const digest = (text: string): Buffer => hash('sha256', text, 'buffer');

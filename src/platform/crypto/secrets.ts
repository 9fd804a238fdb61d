import { createHash, hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A new secret: 256 random bits in base64url behind a prefix that secret scanners can look for. */
export function newSecret(prefix = ''): string {
  return prefix + randomBytes(32).toString('base64url');
}

/** What is stored of a secret: the SHA-256 of it in base64url. Enough for random secrets; passwords go through Argon2id. */
export function secretHash(secret: string): string {
  return hash('sha256', secret, 'base64url');
}

/** Compares two texts without telling by time where they differ. */
export function sameText(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

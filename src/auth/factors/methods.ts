import type { UsedPasskey } from './ceremonies.ts';

/** How a person has authenticated: values of `amr` (RFC 8176). */
export type Methods = readonly ('pwd' | 'otp' | 'hwk' | 'swk' | 'user' | 'mfa')[];

export const BY_PASSWORD: Methods = ['pwd'];
/** The secret of a mailed link is a one-time password. */
export const BY_MAIL: Methods = ['otp'];

/** The methods after a code of the authenticator app or a recovery code. */
export const withCode = (first: Methods): Methods => [...new Set([...first, 'otp' as const, 'mfa' as const])];

/** The methods after a passkey, alone (`first` empty) or as the second factor. */
export function withPasskey(first: Methods, { passkey, user_verified }: UsedPasskey): Methods {
  const isBoth = user_verified || first.length > 0;
  // A synchronised passkey is a key in software; another one stays in its authenticator.
  return [...first, passkey.backed_up ? 'swk' : 'hwk', 'user', ...(isBoth ? (['mfa'] as const) : [])];
}

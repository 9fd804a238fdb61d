import type { Passkey } from '#store/accounts/passkeys.ts';

/** How a person has authenticated: values of `amr` (RFC 8176). */
export type Methods = readonly ('pwd' | 'otp' | 'hwk' | 'swk' | 'user' | 'mfa')[];

export const BY_PASSWORD: Methods = ['pwd'];
/** The secret of a mailed link is a one-time password. It shows the mailbox, which is none of two factors. */
export const BY_MAIL: Methods = ['otp'];

const isPassword = (first: Methods): boolean => first.includes('pwd');

/** The methods after a code of the authenticator app or a recovery code. */
export const withCode = (first: Methods): Methods =>
  isPassword(first) ? [...first, 'otp', 'mfa'] : [...new Set([...first, 'otp' as const])];

/** How a passkey was used. */
interface PasskeyUse {
  passkey: Pick<Passkey, 'backed_up'>;
  user_verified: boolean;
}

/** The methods after a passkey, alone (`first` empty) or as the second factor. */
export function withPasskey(first: Methods, { passkey, user_verified }: PasskeyUse): Methods {
  const isBoth = user_verified || isPassword(first);
  // A synchronised passkey is a key in software; another one stays in its authenticator.
  return [...first, passkey.backed_up ? 'swk' : 'hwk', 'user', ...(isBoth ? (['mfa'] as const) : [])];
}

/** The texts of the second step of a sign-in. */
export const second_factor = {
  title: 'Second step',
  lead: (name: string) => `One more step, ${name}.`,
  passkey: 'Use a passkey',
  or: 'Or with a code:',
  code: 'Code of the app, or a recovery code',
  recovery_code: 'Recovery code',
  code_hint: 'Six digits from the authenticator app, or one of the ten codes that you have kept.',
  recovery_hint: 'One of the ten codes that you have kept.',
  submit: 'Sign in',
  again: 'Start again',
  wrong: 'This code is wrong, or it has been used.',
  blocked:
    'Too many wrong codes today. Until tomorrow only a passkey or a recovery code signs in; we have mailed the owner of the account.',
  no_passkeys_here: 'Passkeys do not work under this address. Use a code.',
  with_passkey: 'Sign in with a passkey',
  passkey_refused: 'This passkey did not sign in. Try again, or use your password.',
};

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

export const factor_mails = {
  passkey_cloned_subject: 'A copied passkey was refused',
  passkey_cloned: (name: string) =>
    `Somebody used a copy of your passkey “${name}”: it has signed fewer times than the original. The copy did not sign in. Remove this passkey, and add a new one.`,
  recovery_code_used_subject: 'A recovery code was used',
  recovery_code_used: (left: number) =>
    `One of your recovery codes was used. It cannot be used again; ${left} ${left === 1 ? 'is' : 'are'} left. If it was you, make new ones in time.`,
  codes_guessed_subject: 'Somebody knows your password and guesses codes',
  codes_guessed:
    'Somebody has entered your password and then many wrong codes. They did not sign in. Until tomorrow, other browsers than yours need a passkey or a recovery code. Choose a new password now:',
  factor_code_subject: 'Your code',
  factor_code: 'With this code and your password you confirm that you want to add a passkey or an authenticator app:',
  factor_code_warning:
    'It works for 10 minutes. If you did not ask for it, somebody is signed in to your account: choose a new password.',
  factor_undo: (days: number) =>
    `If this was not you, undo it within ${days} days. Only that helps: a new password alone would keep you out, because signing in now needs this factor. It is removed, everybody is signed out, and you choose a new password:`,
  factor_unknown:
    'If this was not you, sign in and remove what you do not know. If you cannot sign in any more, ask the staff of the network to reset your second factors: a new password alone does not help.',
  factor_undone:
    'By the link of our mail, the second factor that was added to your account was removed. Everybody was signed out, and the password does not work any more.',
  factors_subject: 'The ways to sign in to your account have changed',
  passkey_added: (name: string) => `The passkey ${name} was added to your account. Everybody else was signed out.`,
  passkey_removed: 'A passkey was removed from your account. Everybody else was signed out.',
  app_added: 'An authenticator app was set up for your account. Everybody else was signed out.',
  app_removed: 'The authenticator app was removed from your account. Everybody else was signed out.',
  codes_renewed:
    'New recovery codes were made for your account, and the old ones do not count any more. Everybody else was signed out.',
};

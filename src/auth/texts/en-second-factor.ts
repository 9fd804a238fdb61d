/** The texts of the second step of a sign-in. */
export const second_factor = {
  title: 'Second step',
  lead: (name: string) => `The password of ${name} was right. Confirm now that it is you.`,
  lead_mail: (name: string) => `The link for ${name} was right. Confirm now that it is you.`,
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
  passkey_texts: {
    script: 'Passkeys need JavaScript, which this browser does not run for this page.',
    unsupported: 'This browser is too old for passkeys.',
    failed: 'No passkey was used: you cancelled, it took too long, or the device has none for this account.',
    exists: 'This device or security key has a passkey of your account already.',
  },
  with_passkey: 'Sign in with a passkey',
  passkey_refused: 'This passkey did not sign in. Try again, or use your password.',
};

export const factor_mails = {
  passkey_added_subject: 'A passkey was added',
  passkey_added: (name: string) =>
    `The passkey “${name}” now signs in to your account. Everybody else was signed out.`,
  passkey_removed_subject: 'A passkey was removed',
  passkey_removed: (name: string) =>
    `The passkey “${name}” no longer signs in to your account. Everybody else was signed out.`,
  passkey_cloned_subject: 'A copied passkey was refused',
  passkey_cloned: (name: string) =>
    `Somebody used a copy of your passkey “${name}”: it has signed fewer times than the original. The copy did not sign in. Remove this passkey, and add a new one.`,
  app_added_subject: 'An authenticator app was set up',
  app_added:
    'From now on your account asks for a code of the authenticator app after the password. Everybody else was signed out.',
  app_removed_subject: 'The authenticator app was removed',
  app_removed: 'Your account no longer accepts codes of the authenticator app. Everybody else was signed out.',
  codes_made_subject: 'New recovery codes were made',
  codes_made: 'Your account has ten new recovery codes. The old ones no longer count.',
  codes_guessed_subject: 'Somebody knows your password and guesses codes',
  codes_guessed:
    'Somebody has entered your password and then many wrong codes. Nobody has got in. Until tomorrow, other browsers than yours need a passkey or a recovery code. Choose a new password now:',
  factor_code_subject: 'Code for your second factor',
  factor_code: (minutes: number) =>
    `Enter this code on the page that asked for it, to add your first passkey or authenticator app. It works for ${minutes} minutes, in the browser that asked for it:`,
  factor_code_not_you: 'If this was not you, somebody knows your password. Do not give the code to anybody, and choose a new password right away:',
};

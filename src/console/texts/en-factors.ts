/** The English texts about the second factors of staff and players. */
export const factors = {
  factors: {
    closed_title: 'A second factor comes first',
    closed:
      'Operators and moderators of this network use the console with a passkey or an authenticator app besides their password. Your account has none yet, so the console is closed to it, also in browsers that were signed in already. Signing in to other applications works as before.',
    closed_code:
      'Ask the operator of the server for a code, in person or over a channel that you trust, not by mail. The operator makes it with this command:',
    closed_add: 'Then add a passkey or an authenticator app within the hour for which the code works.',
    closed_ask: 'Whom to ask:',
    closed_link: 'Add a second factor',

    title: 'Second factor',
    staff: 'This account has a role. Its second factor is reset by a command on the server only:',
    none: 'This account has no passkey and no authenticator app.',
    waiting: 'A reset takes effect at this time, unless the owner stops it:',
    hint: 'For somebody who has lost passkeys, authenticator app and recovery codes. Make sure that you know who is asking. The owner gets a mail at once and can stop the reset for a day.',
    reset: 'Reset the second factor',
    ask_title: (name: string) => `Reset the second factor of ${name}?`,
    ask_removed: (passkeys: string, codes: string) =>
      `Passkeys: ${passkeys}, recovery codes: ${codes}, and the authenticator app, if there is one. After a day all of them are removed, and every browser is signed out. The password alone then opens the account.`,
    ask_owner: 'The owner gets a mail now, and can stop the reset by its link or on the account page.',
  },
};

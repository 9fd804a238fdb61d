/** The English texts about the reset of second factors by staff. */
export const keep_factors = {
  title: 'Keep your second factor?',
  lead: (name: string) =>
    `Staff of the network has been asked to remove passkeys, authenticator app and recovery codes of the account ${name}. If you have not asked for this, stop it.`,
  submit: 'Keep my second factor',
  waiting: (time: string) =>
    `Your passkeys, your authenticator app and your recovery codes are removed on ${time}, because staff of the network was asked to. If it was not you who asked, stop it.`,
  which:
    'To keep your second factors, confirm with one that you added more than seven days before the request, and that is not the newest one, because a thief may have added that. If you have no other, use the link of our mail, or ask the staff of the network.',
  done_title: 'Nothing is removed',
  done: 'Your second factor stays as it is. If you did not ask for its removal, tell the operators that somebody tried.',
};

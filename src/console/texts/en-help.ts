/** The English texts of the pages on which staff helps people, of second factors, and of the first steps of a new network. */
export const help = {
  help: {
    link: 'Help with signing in',
    title: (name: string) => `Help ${name} to sign in`,
    disabled: 'This account is disabled. Enable it first.',
    password: 'New password',
    password_hint:
      'Makes a link with which the person chooses a new password. It works once, for one day. The new password signs out every browser and ends the access of every application.',
    by_mail: (email: string) => `Send the link to ${email}`,
    on_paper: 'Show the link, to hand it over',
    paper_hint:
      'For somebody who cannot read their mail. Make sure that you know who is asking: the link opens the account. A notice goes to the e-mail address of the account.',
    paper_link: 'The link for a new password',
    address: 'E-mail address',
    new_address: 'New e-mail address',
    address_how: 'How',
    confirm_first: 'Send a link to the new address',
    confirm_first_hint: 'The address changes when the person opens the link within a day.',
    change_now: 'Change it now',
    change_now_hint: 'You have checked that the address belongs to the person. It counts as confirmed.',
    change_address: 'Change the address',
    address_wrong: 'Enter an e-mail address like name@example.org.',
    address_same: 'This is already the address of the account.',
    address_taken: 'Another account has this address.',
    unverified: (email: string) => `${email} is not confirmed yet.`,
    resend: 'Send the link to confirm it again',
  },

  player_page: {
    find: 'Name, former name or UUID',
    newest: 'Newest players',
    merge: 'Merge two players',
    last_login: 'Last login',
    last_login_at: (server: string) => `on ${server}`,
    last_logout: 'Last logout',
    account: 'Account',
    no_account: 'none',
    aliases: 'Merged UUIDs',
    private: 'Kept private',
    privacy: { profile: 'the whole profile', online: 'the online state', names: 'former names' },
    banned: 'banned',
    public_page: 'Public page',
    names: 'Names',
    first_seen: 'First seen',
    last_seen: 'Last seen',
    no_punishments: 'None.',
    all_punishments: 'All punishments of this player',
    revoke: 'Revoke',
    results: { win: 'won', lose: 'lost', draw: 'draw' },
    events: 'Matches and other events',
    no_events: 'No events.',
    event: 'Match or event',
    from: 'From',
    operator: 'operators',
    in_audit: 'Show this player in the audit log',
    former_name: 'Former name',
    remove_name: 'Remove this name',
    remove_name_hint:
      'A former name can be removed, for example a legal name. Matches, reasons of punishments and the audit log then show the present name. Only a later report of a game server brings the name back. This cannot be undone.',
    erase: 'Erase this player',
    erase_hint:
      'For somebody without an account who wants to be forgotten. The matches stay, under a random name and UUID; so do later matches of this game account, until it is linked to an account. Punishments stay in force. This cannot be undone.',
    erase_keeps_name:
      'The reasons of these punishments keep a name of the player, because it has fewer than three characters. Change them first:',
    erase_account: 'This player has an account: delete the account, which erases the player as well.',
    erase_wrong: 'That is not the name of the player.',
  },

  first_hour: {
    title: 'First steps of your network',
    progress: (done: number, total: number) => `${done} of ${total} done`,
    open: 'open',
    done: 'done',
    steps: {
      operator: ['An operator', 'You are signed in as one.'],
      server: [
        'A game server with a key',
        'Create the server; its key is shown once. Put it into the settings of the plugin.',
      ],
      event: ['The first event', 'The server sends a heartbeat within a minute of its start. Nothing has arrived yet.'],
      maps: ['Maps', 'Import them from their folder; maps that are played appear with their pictures.'],
      application: ['An application', 'Register one to read the data API or to let people sign in.'],
      address: ['A public address', 'These addresses are still on this machine, so only you can open the pages:'],
    } satisfies Record<string, [title: string, hint: string]>,
  },

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

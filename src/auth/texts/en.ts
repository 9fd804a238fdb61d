import type { Language } from '#http/languages.ts';
import { reads } from './en-reads.ts';
import { security } from './en-security.ts';

/** English texts of the sign-in pages; ja.ts has the same keys in Japanese. */
export const en = {
  security,
  lang: 'en' as Language,
  skip: 'Skip to content',
  contact: 'Contact',
  back: 'Back',
  cancel: 'Cancel',
  continue: 'Continue',
  save: 'Save',
  change: 'Change',
  current_password: 'Current password',
  current_password_hint: 'We ask so that nobody else who uses this device can make changes.',
  password_hint: (min: number) => `At least ${min} characters. Several words together make a good password.`,
  mail_state: {
    sent_title: 'Check your e‑mail',
    link: 'Nothing has arrived after a minute? Check whether our mail server answers',
    title: 'Delivery of mail',
    works:
      'Our mail server answers. Check your spam folder, and whether you entered the right address; then ask for the mail again.',
    fails:
      'Our mail server is not answering at the moment, so the mail may take a while. If it does not arrive within ten minutes, try again.',
  },
  expired_title: 'This link no longer works',
  expired: 'It has already been used, has been replaced by a newer one, or has expired.',

  errors: {
    required: 'Please fill this in.',
    credentials: 'The name, e-mail address or password is wrong.',
    too_many_attempts: 'Too many attempts. Wait 15 minutes, then try again.',
    name_shape: 'Use 3 to 16 letters, digits or underscores (A–Z, 0–9, _).',
    name_taken: (name: string) =>
      `The name ${name} is taken, or belongs to a player of the network. If you are that player, link your game account: your account then gets the name.`,
    email_shape: 'This does not look like an e-mail address.',
    email_same: 'This is already your e-mail address.',
    password_short: (min: number) => `Use at least ${min} characters.`,
    password_long: 'This password is too long.',
    password_easy: 'This password is too easy to guess. Use several words, for example.',
    password_common:
      'This is one of the passwords that people use most, and others try those first. Use several words, for example.',
    password_breached:
      'This password is in a list of passwords that were stolen somewhere, and others try those first. Choose another one.',
    last_operator: 'You are the last operator of this network. Make somebody else an operator first.',
    password_wrong: 'This is not your current password.',
    form: 'This form was not sent from our page. Go back, reload the page and send the form again.',
    body: 'We could not read this form.',
    busy: 'Too many people are signing in right now. Try again in a moment.',
  },

  sign_in: {
    title: 'Sign in',
    lead: (app: string) => `to continue to ${app}`,
    login: 'Name or e-mail address',
    password: 'Password',
    submit: 'Sign in',
    forgot: 'Forgot your password?',
    register: 'Create an account',
    again: (name: string) => `Please confirm that it is you, ${name}.`,
    other: 'Use another account',
    reset_done: 'Your new password is set. Sign in with it.',
    deleted: 'Your account has been deleted.',
  },

  sign_in_link: {
    blocked:
      'There have been too many wrong passwords for this account or from your network, so we did not check this one. Wait an hour, or sign in by a link that we send to the e-mail address of the account.',
    send: 'Send me a link',
    sent: 'If this account exists, its e-mail address has a link that we sent within the last ten minutes. The link works for one hour.',
    lead: (name: string) => `Sign in to the account ${name} in this browser?`,
  },

  select_account: {
    title: (name: string) => `Use the account ${name}?`,
    submit: (name: string) => `Continue as ${name}`,
  },

  consent: {
    title: (app: string) => `${app} asks for access to your account`,
    signed_in: (name: string) => `You are signed in as ${name}.`,
    owners: (names: string, count: number) => `Its ${count === 1 ? 'owner is' : 'owners are'} ${names}.`,
    own: (network: string) => `It is part of ${network} itself.`,
    no_owner: (network: string) => `No account owns it. The operators of ${network} manage it.`,
    sees: 'It will:',
    openid: 'know that you are the same person when you come back',
    profile: 'see your name, your game account and its profile page, and whether it is banned; read your own game data',
    email: 'see your e-mail address',
    goes_to: (place: string) => `You will be sent to ${place}.`,
    on_device: 'You will be sent to an app on this device.',
    end: 'You can remove the access at any time on your account page.',
    allow: 'Allow',
    other: 'Not you?',
  },

  link: {
    title: 'Link your game account',
    lead: 'Join the network with your game account and type this in the chat:',
    command: (code: string) => `/link ${code}`,
    valid: (minutes: number) => `The code works once, for ${minutes} minutes.`,
    warning: 'Never type a code that somebody else sent you: it would link your game account to their account.',
    check: 'I have typed it',
    follows: 'This page continues by itself once you have typed it.',
    not_yet: 'No game account has typed the code yet. This can take a moment.',
    needed: (app: string) => `${app} needs to know your game account.`,
    done: (name: string) => `Linked to ${name}.`,
    unlink_title: 'Unlink your game account?',
    unlink_lead: (name: string) =>
      `Applications will no longer see that ${name} is you. The name stays with the game account; you can choose another one.`,
    unlink: 'Unlink',
  },

  former_name: {
    names: 'Former names',
    remove: 'Remove',
    title: 'Remove a former name?',
    lead: 'It disappears from your profile and from the search. Matches, reasons of punishments and other records show your present name. The name comes back only if you play under it again. This cannot be undone.',
    none: 'Your game account has no former name.',
    list: (names: string) => `Your former names: ${names}`,
    name: 'The name to remove',
    submit: 'Remove the name',
    wrong: 'This is none of your former names. Your present name cannot be removed.',
    done: 'Removed. Your matches and other records get your present name within moments.',
  },

  register: {
    title: 'Create an account',
    name: 'Name',
    name_hint:
      'If you play here, your name in the game. If the name is taken, we add a suffix; link your game account to drop it.',
    email: 'E-mail address',
    email_hint: 'We send a link to it, and later only messages about your account.',
    submit: 'Create account',
    have: 'I already have an account',
    closed_title: 'Registration is closed',
    closed: 'The operators of the network create new accounts.',
    sent: (email: string) =>
      `We are sending a link to ${email}. Open it to finish. If nothing arrives, check your spam folder.`,
    confirm_title: 'Finish your registration',
    confirm: (name: string) => `Create an account for ${name}?`,
    confirm_other: (email: string) =>
      `This is not the browser that registered ${email}. Choose a password here; the one chosen in the other browser does not count.`,
  },

  verify: {
    title: 'Confirm your e‑mail address',
    lead: (email: string, name: string) =>
      `Is ${email} your address, and ${name} your account? Confirm only if both are yours: applications will see this address.`,
    submit: 'Yes, confirm',
    done_title: 'Thank you',
    done: (email: string) => `${email} is confirmed.`,
    taken: 'This address belongs to another account.',
  },

  undo_email: {
    title: 'Undo this change?',
    lead: (name: string, email: string) => `The account ${name} gets its previous e-mail address back: ${email}.`,
    lead_factor: (name: string) =>
      `The first passkey or authenticator app of the account ${name}, and those that followed it, are removed.`,
    effect:
      'Everybody is signed out, applications lose their access, passkeys and authenticator apps are removed if the account got its first one since or in the seven days before, and the password no longer works. You choose a new one next.',
    submit: 'Undo this change',
  },

  /** The reset of second factors by staff. */
  keep_factors: {
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
  },

  forgot: {
    lead: 'Enter your name or e-mail address, and we will send you a link.',
    submit: 'Send the link',
    sent: 'If this account exists, we are sending a link to its e-mail address. The link works for one hour.',
    reset_title: 'Choose a new password',
    reset_lead: (name: string) => `For the account ${name}. Everybody who is signed in to it will be signed out.`,
    new_password: 'New password',
    submit_new: 'Set password',
  },

  account: {
    title: 'Your account',
    profile: 'Profile',
    name: 'Name',
    name_linked: 'Follows the name of your game account.',
    name_provisional: 'Provisional. Link the game account that has this name, or choose another name.',
    email: 'E-mail address',
    verified: 'confirmed',
    unverified: 'not confirmed',
    send_verify: 'Send a link to confirm',
    verify_sent: (email: string) => `We are sending a link to ${email}.`,
    game: 'Game account',
    no_game: 'None linked. Once you link one, applications can show what you play.',
    link: 'Link',
    unlink: 'Unlink',
    privacy: {
      title: 'Privacy',
      lead: 'What others do not see of your game account. Punishments stay public, and game servers and staff see everything.',
      in_matches: {
        name: 'Matches name you also with a private profile, by your present name.',
        hidden: 'With a private profile, matches and servers do not name you.',
      },
      profile: 'Private profile: no statistics, no matches, no place on leaderboards, not in the search',
      online: 'Hide when and where you are online',
      names: 'Hide your former names',
      saved: 'Saved. It holds from now on.',
    },
    password_lead: 'Changing it signs you out everywhere else.',
    sessions: 'Where you are signed in',
    this_session: 'this browser',
    unknown_browser: 'An unknown browser',
    session: (since: string, seen: string, address: string) => `since ${since} · last seen ${seen} · ${address}`,
    end_session: { label: 'Sign out', named: (browser: string) => `Sign out: ${browser}` },
    end_access: { label: 'Remove access', named: (application: string) => `Remove access: ${application}` },
    end_others: 'Sign out all others',
    punishments: 'Punishments in force',
    until: (timestamp: string) => `until ${timestamp}`,
    permanent: 'permanent',
    by_server: (server: string) => `by ${server}`,
    by_network: 'by the network',
    punishment_id: 'Punishment',
    appeal: 'To object to a punishment',
    applications: 'Connected applications',
    no_applications: 'None.',
    zone: (zone: string) => `Times in ${zone}`,
    last_read: (timestamp: string) => `Last read your data: ${timestamp}`,
    application: (since: string, used: string) => `since ${since} · last sign-in ${used}`,
    reads,
    scopes: { openid: 'your identity', profile: 'profile and own game data', email: 'e-mail address' } as Record<
      string,
      string
    >,
    data: 'Your data',
    export: 'Download everything about your account',
    export_hint: 'A JSON file.',
    delete: 'Delete your account',
    sign_out: 'Sign out',
    ended: 'Removed. It no longer has access.',
    session_ended: 'Signed out there.',
    name_title: 'Change your name',
    email_title: 'Change your e‑mail address',
    email_lead: 'We send a link to the new address. The change takes effect when you open it.',
    new_email: 'New e-mail address',
    password_title: 'Change your password',
    new_password: 'New password',
    delete_title: 'Delete your account?',
    delete_lead:
      'Your account is deleted immediately, with its sessions and the access of every application. You cannot undo this.',
    delete_applications: (names: string) =>
      `Nobody else owns these applications of yours. They stop working immediately, and the operators take them over: ${names}. To avoid this, delete them or add another owner in the console first.`,
    delete_matches:
      'Your matches stay, because others played them too, but they show a made-up name and UUID that lead to nobody. Later matches of your game account appear under the same made-up name until you link it to a new account.',
    delete_submit: 'Delete permanently',
  },

  sign_out: {
    title: 'Sign out?',
    lead: (app: string) => `${app} asks whether you also want to sign out here.`,
    lead_alone: 'You are about to sign out in this browser.',
    yes: 'Sign out',
    no: 'Stay signed in',
    done_title: 'You are signed out',
    done: 'You are signed out in this browser. Applications may still have their own sessions.',
    other_title: 'Another account is signed in',
    other:
      'In the meantime, somebody signed in with another account in this browser. Continue to sign out of it and use the account that you chose.',
    sign_in: 'Sign in again',
  },

  problem: {
    leaving: (place: string) =>
      `This app made a request that we do not support. You have not used it here before, so we ask before we send you back. It would take you to ${place}.`,
    leave: (place: string) => `Go to ${place}`,
    title: 'This did not work',
    client:
      'The application that sent you here made a mistake, or somebody changed its link. We have not sent you back, because we cannot be sure that this is safe.',
    too_many: 'Too many people started to sign in from your network within an hour. Please try again later.',
    suspended: 'The application that sent you here is suspended, because nobody is responsible for it at the moment.',
    expired_title: 'This page is too old',
    expired: 'You took longer than an hour, or continued in another tab. Go back to the application and start again.',
    expired_at: (app: string) =>
      `You took longer than an hour to sign in to ${app}, or continued in another tab. Go back to it and start again.`,
    back_to: (app: string, place: string) => `Back to ${app} (${place})`,
    server: 'Something went wrong on our side, and has been recorded. Please try again in a moment.',
    detail: 'For the developers of the application:',
    not_found_title: 'There is no such page',
    not_found: 'The address may be misspelt.',
    to_account: 'To your account',
  },

  /** The second step of a sign-in. */
  second_factor: {
    title: 'Second step',
    lead: (name: string) => `One more step, ${name}.`,
    or: 'Or with a code:',
    code_hint: 'Six digits from the authenticator app, or one of the ten codes that you have kept.',
    recovery_hint: 'One of the ten codes that you have kept.',
    again: 'Start again',
    wrong: 'This code is wrong, or it has been used.',
    blocked:
      'Too many wrong codes today. Until tomorrow only a passkey or a recovery code signs in; we have mailed the owner of the account.',
    no_passkeys_here: 'Passkeys do not work under this address. Use a code.',
    with_passkey: 'Sign in with a passkey',
    passkey_refused: 'This passkey did not sign in. Try again, or use your password.',
  },
};

export type Texts = typeof en;

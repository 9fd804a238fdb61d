import { amount } from '#text/amount.ts';

/** The texts of the pages about passkeys, authenticator apps and recovery codes. */
export const security = {
  title: 'Passkeys and second factor',
  lead: 'A passkey signs you in with the fingerprint, the face or the PIN of your device, without a password. With an authenticator app, your password signs in only together with a code.',
  none: 'None. Your password alone signs in.',
  summary: (passkeys: number, app: boolean, codes: number) =>
    [passkeys === 0 ? '' : amount(passkeys, 'passkey'), app ? 'authenticator app' : '', amount(codes, 'recovery code')]
      .filter((part) => part !== '')
      .join(' · '),
  wait: (from: string) =>
    `You came in by a link that we mailed, or your e-mail address was changed, less than a day ago. You can add your first passkey or authenticator app from ${from} on, so that a person who only reads your mail cannot lock you out.`,
  saved: 'Saved.',
  passkey_removed: 'The passkey is removed, and you are signed out everywhere else. You get a mail about it.',
  app_removed: 'The authenticator app is removed, and you are signed out everywhere else. You get a mail about it.',
  back: 'Back to passkeys and second factor',

  passkeys: 'Passkeys',
  no_passkeys: 'None.',
  no_passkeys_here: 'Passkeys do not work under this address: they need a domain name and HTTPS.',
  created: (time: string) => `added ${time}`,
  used: (time: string) => `last used ${time}`,
  unused: 'not used yet',
  synchronised: 'synchronised',
  add_passkey: 'Add a passkey',
  passkey_name: 'Name of the passkey',
  passkey_name_hint: 'For you to tell your passkeys apart, like “Phone”.',
  passkey_name_length: (max: number) => `Use 1 to ${max} characters.`,
  new_passkey_name: 'Passkey',
  add_passkey_lead:
    'Your device asks for your fingerprint, your face or its PIN, and keeps the passkey. You can also use a security key, or your phone by a QR code.',
  create_passkey: 'Create the passkey',
  too_many_passkeys: (max: number) => `An account can have ${max} passkeys. Remove one first.`,
  rename: { label: 'Rename', named: (passkey: string) => `Rename: ${passkey}` },
  rename_title: 'Rename the passkey',
  remove: { label: 'Remove', named: (what: string) => `Remove: ${what}` },
  remove_passkey_title: (name: string) => `Remove the passkey ${name}?`,
  remove_passkey_lead: 'It does not sign in any more. Your device may keep it; you can delete it there too.',
  remove_last:
    'This is your last factor. Your password alone signs in after this, and your recovery codes do not count any more.',
  remove_app_title: 'Remove the authenticator app?',
  remove_app_lead: 'Its codes do not count any more. You can delete the entry in the app too.',

  app: 'Authenticator app',
  no_app: 'None. An app on your phone shows a new code every 30 seconds, without a connection.',
  set_up_app: 'Set up an app',
  replace_app: 'Set up another app',
  app_title: 'Set up an authenticator app',
  app_scan: 'Scan this with the app:',
  app_open: 'Open an app on this device',
  app_type: 'Or type this key into it:',
  qr: 'QR code with the key',
  app_replaces: 'The app that you use now stops working for this account.',
  app_code: 'Code that the app shows',
  app_code_hint: 'Six digits. The app counts only after this.',
  app_code_wrong: 'This is not the code that the app shows now. Is the clock of your phone right?',
  app_submit: 'Confirm the app',

  codes: 'Recovery codes',
  codes_lead: 'Each signs in once in the place of a passkey or a code of the app, together with your password.',
  no_codes: 'You get ten with your first passkey or authenticator app.',
  codes_left: (left: number, all: number) => `${left} of ${all} ${left === 1 ? 'is' : 'are'} left.`,
  codes_few: (left: number) =>
    left === 0
      ? 'None is left. Make new ones, so that you can sign in if you lose your device.'
      : `Only ${amount(left, 'is', 'are')} left. Make new ones in time.`,
  new_codes: 'Make new codes',
  new_codes_title: 'Make new recovery codes?',
  new_codes_lead: 'The codes that you have now stop working.',
  codes_title: 'Your recovery codes',
  passkey_added: 'The passkey is added, and you are signed out everywhere else. You get a mail about it.',
  app_added: 'The authenticator app is set up, and you are signed out everywhere else. You get a mail about it.',
  codes_made: 'These are your new recovery codes. The old ones do not count any more.',
  codes_once:
    'Keep these codes where you find them without this device, on paper for example. If you lose your device, one of them and your password sign in. We show them only now.',
  codes_download: 'Download as text',
  codes_done: 'I have kept them',
  codes_file: (network: string, name: string, date: string) =>
    `Recovery codes of the account ${name} at ${network}, made on ${date}. Each works once, together with the password.`,

  confirm_title: 'Confirm that it is you',
  confirm_lead:
    'We ask before changes of passkeys, second factors, the e-mail address or the password, and before the account is deleted. It counts for five minutes.',
  confirm_passkey: 'Use a passkey',
  confirm_or: 'Or with your password and a code:',
  code: 'Code of the app, or a recovery code',
  recovery_code: 'Recovery code',
  code_wrong: 'The password or the code is wrong, or the code has been used.',
  mail_code_lead: (email: string) =>
    `You have no second factor yet, so we also ask for a code that we send to ${email}.`,
  mail_code_send: 'Send me a code',
  mail_code_again: 'Send another code',
  mail_code: 'Code from the mail',
  mail_code_sent: (email: string) => `We are sending a code to ${email}. It works for 10 minutes, in this browser.`,
  staff_code: 'Code from the server',
  staff_code_lead:
    'You are a member of staff and have no second factor yet, so we also ask for a code. The operator of the server makes it with the command "scorehall account factor-code" and gives it to you in person. It works once, for an hour.',
  confirm: 'Confirm',

  passkey_texts: {
    script: 'Passkeys need JavaScript, which this browser does not run for this page.',
    unsupported: 'This browser is too old for passkeys.',
    failed: 'No passkey was used: you cancelled, it took too long, or the device has none for this account.',
    exists: 'This device or security key has a passkey of your account already.',
  },
  passkey_refused: 'This passkey did not work. Load the page again and try once more.',
};

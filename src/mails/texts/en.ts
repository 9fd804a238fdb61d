import { amount } from '#text/amount.ts';
import type { Language } from '#http/languages.ts';
import type { WebhookReason } from '#store/applications/webhooks/webhooks.ts';

/** The English texts of all mails; ja.ts has the same keys in Japanese. */
export const en = {
  lang: 'en' as Language,
  hello: (name: string) => `Hello ${name},`,
  deleted_account: 'a deleted account',

  /** To the owner of an account, about what happened to it. */
  account: {
    footer: (network: string) => `We sent this mail because of your account at ${network}.`,
    not_you: 'If this was not you, choose a new password right away:',
    ignore: 'If this was not you, ignore this mail: nothing happens unless you open the link.',
    register_subject: 'Finish your registration',
    register: 'Open this link to create your account. It works for one day.',
    register_known_subject: 'You already have an account',
    register_known:
      'Somebody, probably you, tried to register with this address. It already has an account. Choose a new password if you forgot yours, or sign in:',
    verify_subject: 'Confirm your e-mail address',
    verify: 'Open this link to confirm that this address is yours. It works for one day.',
    email_subject: 'Confirm your new e-mail address',
    email: 'Open this link to make this the address of your account. It works for one day.',
    reset_subject: 'Choose a new password',
    reset: 'Open this link to choose a new password. It works for one hour.',
    link_subject: 'Sign in',
    link: 'Open this link to sign in without your password. It works once, for one hour.',
    guessed_subject: 'Somebody is guessing your password',
    guessed:
      'Somebody has entered many wrong passwords for your account. Nobody has got in by them. Browsers in which you have signed in before work as usual; in others we answer later, or offer you a sign-in link by mail. If your password is short or you use it elsewhere, choose a new one:',
    password_changed_subject: 'Your password was changed',
    password_changed: 'The password of your account was just changed, and everybody else was signed out.',
    email_changing_subject: 'Your e-mail address is about to change',
    email_changing: (email: string) =>
      `Somebody who is signed in to your account asked to change its e-mail address to ${email}.`,
    email_changed_subject: 'Your e-mail address was changed',
    email_changed: (email: string) => `The e-mail address of your account is now ${email}.`,
    undo: (days: number) =>
      `If this was not you, undo this change within ${days} days. Your account gets this address back, everybody is signed out, and you choose a new password:`,
    factors_removed_subject: 'Your second factor was removed',
    factors_removed:
      'As was asked of the staff of the network a day ago, your passkeys, your authenticator app and your recovery codes are removed, and every browser is signed out. Sign in with your password and add a new second factor:',
    undone_subject: 'The change of your e-mail address was undone',
    undone:
      'The holder of the previous address undid the change. Everybody was signed out, and this address no longer belongs to the account.',
    access_subject: 'An application has access to your account',
    access: (app: string) =>
      `The application ${app} now has access to your account. You can end it on your account page.`,
    linked_subject: 'A game account was linked',
    linked: (name: string) => `The game account ${name} is now linked to your account.`,
    unlinked_subject: 'Your game account was unlinked',
    unlinked: 'Your account no longer has a linked game account.',
    deleted_subject: 'Your account has been deleted',
    deleted: 'Your account has been deleted, as you requested. This is the last mail about it.',
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
  },

  /** To a person whom the operators help. */
  help: {
    reset: 'An operator of the network has sent you this link to choose a new password. It works once, for one day.',
    paper_subject: 'An operator is helping you with your password',
    paper:
      'An operator of the network has made a link to choose a new password for your account, to hand over in person. If you have not asked for help, tell the operators at once.',
    factors_subject: 'Your second factor is about to be removed',
    factors: (time: string) =>
      `The staff of the network has been asked to remove your passkeys, your authenticator app and your recovery codes. It happens on ${time}. If you have not asked for this, stop it with this link, or on your account page:`,
    factors_elsewhere: (time: string) =>
      `The staff of the network has been asked to remove your passkeys, your authenticator app and your recovery codes. It happens on ${time}. Your e-mail address was changed lately, so the link that stops it went to your previous address. You can also stop it on your account page, with a second factor that is not the newest.`,
    factor_code_subject: 'A code for your second factor was made',
    factor_code:
      'On the server of the network somebody has made a code with which a passkey or an authenticator app can be added to your account within the hour. You get the code in person. If you have not asked for it, tell the operators at once.',
    factor_code_reset:
      'On the server of the network somebody has removed your passkeys, your authenticator app and your recovery codes, signed you out everywhere, and made a code with which new ones can be added within the hour. You get the code in person. If you have not asked for it, tell the operators at once.',
    verify: 'Open this link to confirm that this address is yours. It works for one day.',
    address:
      'An operator of the network has been asked to make this the address of your account. Open this link to confirm it. It works for one day.',
    address_changing_subject: 'Your e-mail address is about to change',
    address_changing: (email: string) =>
      `An operator of the network is changing the e-mail address of your account to ${email}. If you have not asked for this, tell the operators at once.`,
    address_changed: (email: string) =>
      `An operator of the network has changed the e-mail address of your account to ${email}. This is the last mail to the old address. If you have not asked for this, tell the operators at once.`,
    renamed_subject: 'Your account has a new name',
    renamed: (name: string) =>
      `A moderator has changed the name of your account to ${name}. Sign in with this name or with your e-mail address. You can choose another name on the account page.`,
  },

  /** To a person whose game account was punished. */
  punishment: {
    subject: (type: string) => `A punishment of your game account: ${type}`,
    lead: (name: string) => `A punishment of your game account ${name} is in force:`,
    type: (type: string) => `Type: ${type}`,
    reason: (reason: string) => `Reason: ${reason}`,
    until: (time: string, zone: string) => `Until: ${time} (${zone})`,
    permanent: 'Permanent',
    by_server: (server: string) => `By the server: ${server}`,
    by_network: 'By the network',
    id: (id: string) => `Punishment: ${id}`,
    appeal: (contact: string) => `To object to this punishment: ${contact}`,
  },

  /** To the owners of an application. */
  application: {
    subject: {
      approved: (application: string) => `Approved: ${application}`,
      refused: (application: string) => `Not approved: ${application}`,
    },
    approved: {
      access: (application: string) => `${application} may now use the data API.`,
      limit: (application: string) => `The limit of ${application} has been raised.`,
    },
    refused: {
      access: (application: string) => `Your request for access to the data API for ${application} was refused.`,
      limit: (application: string) => `Your request for a higher limit for ${application} was refused.`,
    },
    note: 'The operator writes:',
    invited_subject: (application: string) => `Invitation to own ${application}`,
    invited: (by: string, application: string) =>
      `${by} invites you to become an owner of the application ${application}. If you accept, you can change it, and people who sign in to it see your name. Please answer in the console within 14 days; without an answer the invitation expires.`,
    owner_subject: (application: string) => `You are now an owner of ${application}`,
    owner: (application: string) =>
      `The operator has made you an owner of the application ${application}: people who sign in to it see your name. If you do not want that, remove yourself in its settings.`,
  },

  /** About a new name, logo or Redirect URIs that wait for an operator. */
  change: {
    asked_subject: (application: string) => `A change of ${application} waits for the operator`,
    asked: (by: string, application: string) =>
      `${by} has changed the name, the logo or the Redirect URIs of ${application}. The change waits for an operator, and the present values stay in force until then. If you know nothing of it, withdraw it in the settings of the application, and look who owns it.`,
    approved_subject: (application: string) => `Approved: change of ${application}`,
    approved: (application: string) => `The new name, logo or Redirect URIs of ${application} are in force.`,
    refused_subject: (application: string) => `Not approved: change of ${application}`,
    refused: (application: string) =>
      `The new name, logo or Redirect URIs of ${application} were refused; the present ones stay in force.`,
    operator_line: (application: string, by: string) => `${application}: new name, logo or Redirect URIs, by ${by}`,
  },

  webhook: {
    subject: (application: string) => `A webhook of ${application} is off`,
    lead: (application: string, host: string) => `The webhook of ${application} to ${host} was switched off.`,
    reasons: {
      failures: 'For five days no message could be delivered to it.',
      gone: 'Its receiver answered that it is gone.',
      secret: 'Its secret can no longer be read. Delete it, and add it again.',
    } as Partial<Record<WebhookReason, string>>,
    next: 'It keeps its cursor: when it is switched on again, it gets everything that has changed since.',
  },

  operator: {
    requests_subject: (count: number) =>
      count === 1 ? 'A request is waiting for you' : `${count} requests are waiting for you`,
    requests: 'These applications are waiting for your decision:',
    request: (application: string, by: string) => `${application}, requested by ${by}`,
    silent_subject: (count: number) => (count === 1 ? 'A game server is silent' : `${count} game servers are silent`),
    silent: 'These game servers have stopped sending heartbeats:',
    silent_server: (name: string, since: string) => `${name}, last heard of on ${since}`,
    silent_hint: 'You get one mail each time a server falls silent. Delete servers that are gone for good.',
    refusals_subject: 'Events are being refused',
    refusals: 'Many events of these game servers were refused in the last ten minutes:',
    refusing_server: (name: string, count: string, reason: string) =>
      `${name}: ${amount(count, 'event')}, most often because: ${reason}`,
    footer: 'You get this mail because you are an operator of the network.',
  },
};

export type Texts = typeof en;

import { amount } from '#platform/text/amount.ts';

/** The English texts of the mails. */
export const mail = {
  mail: {
    hello: (name: string) => `Hello ${name},`,
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

    reset_subject: 'Choose a new password',
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
    verify_subject: 'Confirm your e-mail address',
    verify: 'Open this link to confirm that this address is yours. It works for one day.',
    address_subject: 'Confirm your new e-mail address',
    address:
      'An operator of the network has been asked to make this the address of your account. Open this link to confirm it. It works for one day.',
    address_changing_subject: 'Your e-mail address is about to change',
    address_changing: (email: string) =>
      `An operator of the network is changing the e-mail address of your account to ${email}. If you have not asked for this, tell the operators at once.`,
    address_changed_subject: 'Your e-mail address was changed',
    address_changed: (email: string) =>
      `An operator of the network has changed the e-mail address of your account to ${email}. This is the last mail to the old address. If you have not asked for this, tell the operators at once.`,

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
  },
};

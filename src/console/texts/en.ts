import type { Language } from '#http/languages.ts';
import { operator } from './en-operator.ts';

/** Every word of the console in English. */
export const en = {
  ...operator,
  lang: 'en' as Language,
  console: 'Console',
  skip: 'Skip to content',
  developers: 'Developer guide',
  account: 'Your account',
  signed_in_as: 'Signed in as',
  sign_out: 'Sign out',
  save: 'Save',
  cancel: 'Cancel',
  problem: 'Please mend what is marked below.',
  once: 'This is shown once. Keep it now: it is stored as a hash only, and nobody can show it again.',
  zone: (zone: string) => `Times in ${zone}`,
  parts: { applications: 'Applications', operator: 'Operator' },
  tabs: { '': 'Overview', '/access': 'API access', '/usage': 'Usage', '/settings': 'Settings' },

  welcome: {
    short: 'Console',
    title: (network: string) => `Build on ${network}`,
    lead: 'Register an application, get a Client ID, and read matches, maps and players, or let people sign in with their account.',
    sign_in: 'Sign in to begin',
    guide: 'Read the guide first',
    steps: [
      ['Register.', 'A name, a type, and where sign-in sends people back.'],
      ['Ask for access.', 'Say what you build; many get it at once.'],
      ['Call the API.', 'The page of your application shows the lines to paste.'],
    ] as [string, string][],
  },

  sign_in: {
    declined_title: 'You have not signed in',
    declined: 'The console needs to know who you are, and nothing else.',
    failed_title: 'The sign-in did not work',
    failed: 'It took too long, was begun in another tab, or the way back was changed. Please begin again.',
    again: 'Sign in again',
    detail: 'What was wrong:',
  },

  done: {
    registered: 'Your application is registered.',
    saved: 'Saved.',
    withdrawn: 'Withdrawn. It opens nothing any more.',
    deleted: 'The application is gone.',
    invited: 'Asked by mail. They own it when they accept.',
    owns_enough: 'You own as many applications as one person may.',
    asked: 'Your request waits for the operator. The answer comes by mail.',
    approved: 'Approved.',
    refused: 'Refused. The applicant is told by mail.',
    stale: 'You had been signed out, so nothing was changed. You are signed in again: please send it once more.',
    gone: 'Somebody else was quicker: there is nothing to change any more.',
    bad_limit: 'Give the limit as a whole number from 1 on, or nothing.',
    bad_logo: 'That is no PNG, JPEG or WebP image of at most 256 KB.',
    told: 'Done.',
    merged: 'Merged. All of it counts for the other player now.',
    revoked: 'Revoked.',
    ended: 'Signed out everywhere.',
  },

  errors: {
    home: 'To the console',
    other_session: [
      'This page is of another sign-in',
      'You have signed out or changed accounts in another tab since the page was opened. Nothing was changed; open the page again.',
    ],
    not_operator: [
      'This is for operators',
      'Your account is no operator’s. If it should be, ask whoever runs the network.',
    ],
    status: {
      400: ['That could not be read', 'The form was not as the page sends it. Go back and try again.'],
      403: ['That did not come from here', 'The form was sent from another site, so nothing was changed.'],
      404: ['There is nothing here', 'It was deleted, never existed, or is not yours.'],
      413: ['That is too large', 'A logo may have at most 256 KB.'],
      429: ['That was a lot within an hour', 'Nothing was changed. Please go on a little later.'],
      500: ['Something went wrong on our side', 'It was noted. Please try again in a moment.'],
      503: ['Too busy just now', 'Please try again in a moment.'],
    },
  },

  stopped: {
    badge: 'suspended',
    why: {
      disabled: 'Suspended: the accounts of all its owners are disabled. Its tokens are refused.',
      deleted: 'Suspended: its last owner has deleted the account. Its tokens are refused.',
    },
  },
  access_states: {
    none: 'no API access yet',
    waiting: 'waiting for the operator',
    approved: 'API access',
    refused: 'access refused',
    revoked: 'access revoked',
  },

  invitations: {
    title: 'You are asked to own',
    hint: 'The page that asks people for their consent names the owners. Accept only what you answer for.',
    by: (name: string) => `Asked by ${name}`,
    accept: 'Accept',
    decline: 'Decline',
  },

  applications: {
    title: 'Your applications',
    register: 'Register an application',
    none: 'Nothing here yet. Register your first application: it takes a minute.',
    last_used: 'Last used',
    never_used: 'Not used yet',
  },

  application: {
    new_title: 'Register an application',
    create: 'Register',
    verify_first: 'Verify your e-mail address first, on the page of your account: answers about access go there.',
    name: 'Name',
    name_hint: 'People read it when they are asked whether your application may see who they are.',
    type: 'Type',
    types: {
      service: {
        label: 'Service',
        hint: 'Runs on a server of yours, which can keep a Client Secret: a web site with a back end, a bot.',
      },
      web: {
        label: 'Web',
        hint: 'JavaScript in the browser and nothing behind it: everybody can read its code, so it has no secret.',
      },
      installed: {
        label: 'Installed',
        hint: 'A program on people’s own devices: a phone app, a desktop tool, a game mod. It has no secret either.',
      },
    },
    redirect_uris: 'Redirect URIs',
    redirect_uris_hint:
      'Where sign-in sends people back, one a line, exactly as your application sends it. https; on your own machine also http://127.0.0.1. A service that signs nobody in needs none.',
    no_redirect_uris: 'none: nobody can sign in with this application',
    require_pkce: 'Require PKCE (recommended)',
    require_pkce_hint:
      'Refuses sign-ins without a code challenge, so that a stolen code is worth nothing. Most libraries send it.',
    pkce_on: 'required',
    pkce_off: 'optional; better require it in the settings',
    identity: 'What your application is called by',
    secret_once: 'The Client Secret',
    secrets: 'Client Secrets',
    secrets_hint: 'Several may live side by side: make a new one, change your application, then withdraw the old one.',
    new_secret: 'Make another secret',
    made: 'Made',
    withdraw: 'Withdraw',
    settings: 'Settings',
    logo: 'Logo',
    logo_file: 'Image',
    logo_hint: 'PNG, JPEG or WebP, square, at most 256 KB.',
    upload: 'Upload',
    remove_logo: 'Remove the logo',
    owners: 'Owners',
    owners_hint: 'Everybody here may change the application, its secrets and its owners.',
    owner_name: 'Account name',
    owner_name_hint: 'They are asked by mail, and become an owner when they accept.',
    add_owner: 'Add owner',
    invited: 'invited',
    invited_until: 'Until',
    uninvite: 'Take back',
    remove_owner: 'Remove',
    owner_since: 'Since',
    you: 'you',
    delete: 'Delete this application',
    delete_hint: 'Everything that uses its Client ID stops working at once.',
    delete_title: (name: string) => `Delete ${name}?`,
    delete_confirm: (name: string) => `Type “${name}” to confirm`,
    delete_wrong: 'That is not the name of the application.',
    breaks_people: (text: string, count: number) =>
      count === 0
        ? 'Nobody is connected with it.'
        : `${text} ${count === 1 ? 'person' : 'people'} can no longer sign in with it.`,
    breaks_tokens: (text: string, count: number) =>
      count === 0 ? 'No token of it is alive.' : `${text} ${count === 1 ? 'token dies' : 'tokens die'} at once.`,
    breaks_requests: (text: string, count: number) =>
      count === 0
        ? 'It has not asked the data API within a week.'
        : `It has asked the data API ${text} times within a week.`,
    breaks_for_good: 'The Client ID never comes back.',
    problems: {
      name: (max: number) => `Give it a name of 1 to ${max} characters.`,
      type: 'Choose one of the types.',
      no_uri: 'This type needs at least one Redirect URI.',
      too_many_uris: (max: number) => `At most ${max} Redirect URIs.`,
      uri: (uri: string, rule: string) => `${uri} ${rule}.`,
      uri_rules: {} as Record<string, string>,
      owner: (name: string) => `There is no account called “${name}”.`,
      owner_already: (name: string) => `${name} owns it already.`,
      too_many_invitations: (most: number) => `You have asked ${most} times within a day. Go on tomorrow.`,
      too_many: (most: number) => `One account owns at most ${most} applications. Delete one, or ask the operator.`,
    },
  },

  steps: {
    title: 'Next: access to the data API',
    access: {
      none: 'Say in two sentences what you build. Sign-in works without.',
      waiting: 'Your request waits for the operator. The answer comes by mail.',
      refused: 'The operator has refused your request. You can read why, and ask again.',
      revoked: 'The operator has closed the data API to this application. You can ask again.',
    },
    try_title: 'Try it',
    try_client_id: 'With the Client ID alone, public data:',
    try_token: 'With a token of its own, at the limit of the application:',
    your_secret: 'YOUR_SECRET',
    guide: 'More, with sign-in and paging:',
  },

  access: {
    title: 'Access to the data API',
    states: {
      none: 'This application has not asked for access yet.',
      waiting: 'Your request waits for the operator. The answer comes by mail.',
      approved: 'This application may use the data API.',
      refused: 'The operator has refused the request; the reason stands below. You can ask again.',
      revoked: 'The operator has closed the data API to this application. You can ask again.',
    },
    limit_now: 'Limit:',
    raised: (limit: string) => `${limit} requests an hour, for the application and for each of its users`,
    usual: (app: string, user: string, address: string) =>
      `${app} requests an hour with its own tokens, ${user} for each user, ${address} for each address with the Client ID alone`,
    access: {
      title: 'Ask for access',
      purpose: 'What do you build?',
      purpose_hint: 'Two sentences are enough: what it does, and for whom.',
      volume: 'Requests an hour, about',
      volume_hint: 'A guess is fine.',
      submit: 'Ask for access',
    },
    limit: {
      title: 'Ask for a higher limit',
      purpose: 'Why do you need more?',
      purpose_hint: 'What you ask for, how often, and what you already keep.',
      volume: 'Requests an hour',
      volume_hint: 'What you need at the busiest hour.',
      submit: 'Ask for more',
    },
    site: 'Where can it be seen?',
    site_hint: 'An address, if there is one already.',
    history: 'What was asked',
    kinds: { access: 'Access', limit: 'Higher limit' },
    request_states: { waiting: 'waiting', approved: 'approved', refused: 'refused' },
    per_hour: (volume: string) => `${volume} requests an hour`,
    problems: {
      purpose: (max: number) => `Say what you build, in 1 to ${max} characters.`,
      site: 'That is no address of the web, like https://example.org.',
      volume: 'Give a whole number from 1 on.',
    },
  },

  usage: {
    title: 'The last seven days',
    never: 'Not used yet. What is counted appears here within seconds.',
    last: 'Last used',
    endpoints: 'By endpoint',
    endpoint: 'Endpoint',
    unknown: 'paths that do not exist',
    numbers: 'In numbers',
    served: 'answered',
    refused: 'refused (4xx, 5xx)',
    over: 'over the limit (429)',
    busiest: 'Busiest hour:',
    words: (requests: string, bad: string, limited: string) =>
      `${requests} requests, ${bad} refused, ${limited} over the limit`,
    counters: { requests: 'Requests', client_errors: '4xx', limited: '429', server_errors: '5xx' },
  },

  mail: {
    hello: (name: string) => `Hello ${name},`,
    subject: {
      approved: (application: string) => `Approved: ${application}`,
      refused: (application: string) => `Not approved: ${application}`,
    },
    approved: {
      access: (application: string) => `${application} may use the data API from now on.`,
      limit: (application: string) => `The limit of ${application} is raised from now on.`,
    },
    refused: {
      access: (application: string) => `the request for access of ${application} to the data API was refused.`,
      limit: (application: string) => `the request for a higher limit of ${application} was refused.`,
    },
    note: 'The operator writes:',
    invited_subject: (application: string) => `Will you own ${application}?`,
    invited: (by: string, application: string) =>
      `${by} asks you to own the application ${application}. If you accept, you may change it, and people who sign in to it read your name. Answer in the console within 14 days; without an answer nothing happens.`,
    owner_subject: (application: string) => `You own ${application} now`,
    owner: (application: string) =>
      `the operator has made you an owner of the application ${application}: people who sign in to it read your name. If you do not want that, remove yourself in its settings.`,
  },
};

export type Texts = typeof en;

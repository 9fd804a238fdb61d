import type { Language } from '#http/languages.ts';
import { counters } from './en-counters.ts';
import { jobs } from './en-jobs.ts';
import type { RedirectUriProblem } from '#store/applications/redirect-uris.ts';
import { access } from './en-access.ts';
import { help } from './en-help.ts';
import { operator } from './en-operator.ts';
import { servers } from './en-servers.ts';
import { webhooks } from './en-webhooks.ts';

/** The English texts of the console. */
export const en = {
  ...operator,
  counters,
  ...jobs,
  ...access,
  ...help,
  webhooks,
  ...servers,
  lang: 'en' as Language,
  console: 'Console',
  skip: 'Skip to content',
  developers: 'Developer guide',
  account: 'Your account',
  signed_in_as: 'Signed in as',
  sign_out: 'Sign out',
  save: 'Save',
  cancel: 'Cancel',
  problem: 'Please correct the fields marked below.',
  once: 'This is shown only once. Copy it now: only a hash is stored, so it cannot be shown again.',
  other: 'other …',
  copy: 'Copy',
  copied: 'Copied',
  zone: (zone: string) => `Times in ${zone}`,
  parts: { applications: 'Applications', operator: 'Operator', moderator: 'Moderation' },
  tabs: {
    '': 'Overview',
    '/access': 'API access',
    '/usage': 'Usage',
    '/webhooks': 'Webhooks',
    '/settings': 'Settings',
  },

  welcome: {
    title: (network: string) => `Build on ${network}`,
    lead: 'Register an application and get a Client ID. With it you can read matches, maps and players, or let people sign in with their account.',
    sign_in: 'Sign in to begin',
    guide: 'Read the guide first',
    steps: [
      ['Register.', 'Enter a name, a type, and the address people return to after signing in.'],
      ['Ask for access.', 'Describe what you are building. Your first request may be approved right away.'],
      ['Call the API.', 'Your application’s page shows commands to paste into a terminal.'],
    ] as [string, string][],
  },

  sign_in: {
    declined_title: 'You have not signed in',
    declined: 'The console only needs to know who you are. It asks for nothing else.',
    failed_title: 'Sign-in failed',
    failed: 'It took too long, was started in another tab, or the return address was changed. Please start again.',
    again: 'Sign in again',
    detail: 'Reason:',
  },

  password_again: {
    title: 'You are confirmed',
    lead: 'We asked because this gives power over the network, its accounts or applications, or cannot be undone. Nothing has been changed yet. We do not ask again within ten minutes.',
    submit: 'Continue',
  },

  done: {
    ...webhooks.done,
    again: 'You are confirmed, but nothing has been changed: please send the form once more.',
    registered: 'Your application is registered.',
    saved: 'Saved.',
    waits: 'Saved. The new name, logo or Redirect URIs wait for an operator.',
    withdrawn: 'Withdrawn. It can no longer be used.',
    deleted: 'The application was deleted.',
    invited: 'Invitation sent by mail. They become an owner when they accept.',
    owns_enough: 'You already own as many applications as one account can own.',
    asked: 'Your request was sent to the operator. You will get the answer by mail.',
    approved: 'Approved.',
    refused: 'Refused. The applicant is notified by mail.',
    stale: 'You were signed out, so nothing was changed. You are signed in again: please send the form once more.',
    gone: 'Nothing was left to change. Somebody else may have been quicker.',
    undecided: 'Nothing was changed: choose one of the buttons.',
    bad_limit: 'Enter the limit as a whole number of at least 1, or leave the field empty.',
    bad_logo: 'The logo must be a PNG, JPEG or WebP image of at most 256 KB.',
    completed: 'Done.',
    mailed: 'The mail is on its way.',
    name_removed: 'Removed. The matches and other records get the present name within moments.',
    erased: 'Erased. The records continue under this made-up name.',
    merged: 'Merged. All records now count for the other player.',
    revoked: 'Revoked.',
  },

  errors: {
    home: 'Go to the console',
    other_session: [
      'This page belongs to another sign-in',
      'You have signed out or switched accounts in another tab since this page was opened. Nothing was changed. Please open the page again.',
    ],
    not_operator: [
      'This page is for operators',
      'Your account does not have the operator role. If it should, ask the people who run the network.',
    ],
    status: {
      400: ['The form could not be read', 'Its contents differ from what the page sends. Go back and try again.'],
      403: ['The form came from another site', 'Nothing was changed. Please use the forms of the console itself.'],
      404: ['Page not found', 'It was deleted, never existed, or does not belong to you.'],
      413: ['The upload is too large', 'A logo can be at most 256 KB.'],
      429: ['Too many changes within an hour', 'Nothing was changed. Please try again later.'],
      500: ['Something went wrong on our side', 'The error was logged. Please try again in a moment.'],
      503: ['The server is busy', 'Please try again in a moment.'],
    },
  },

  suspended: {
    badge: 'suspended',
    why: {
      disabled: 'Suspended: the accounts of all its owners are disabled. Its tokens are refused.',
      deleted: 'Suspended: its last owner deleted their account. Its tokens are refused.',
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
    title: 'Ownership invitations',
    hint: 'The consent page names the owners to everybody who signs in. Accept only applications that you take responsibility for.',
    by: (name: string) => `Invited by ${name}`,
    accept: 'Accept',
    decline: 'Decline',
  },

  applications: {
    title: 'Your applications',
    register: 'Register an application',
    none: 'You have no applications yet. Register your first one; it takes a minute.',
    last_used: 'Last used',
    never_used: 'Not used yet',
  },

  application: {
    create: 'Register',
    verify_first: 'Verify your e-mail address on your account page first: answers to access requests are sent there.',
    name: 'Name',
    name_hint: 'Shown to people when they are asked whether your application may see who they are.',
    type: 'Type',
    types: {
      service: {
        label: 'Service',
        hint: 'Runs on your own server, which can keep a Client Secret: a web site with a back end, a bot.',
      },
      web: {
        label: 'Web',
        hint: 'JavaScript that runs only in the browser. Everybody can read its code, so it has no secret.',
      },
      installed: {
        label: 'Installed',
        hint: 'A program on people’s own devices: a phone app, a desktop tool, a game mod. It has no secret either.',
      },
    },
    redirect_uris: 'Redirect URIs',
    redirect_uris_hint:
      'Where people return after signing in: one URI per line, exactly as your application sends it. Use https, or http://127.0.0.1 on your own machine. A service without sign-in needs none.',
    weak_scheme:
      'Other programs can claim this scheme. Replace it by one with a dot, the reversed name of a domain of yours (com.example.app:/callback).',
    post_logout_redirect_uris: 'Redirect URIs after sign-out',
    post_logout_redirect_uris_hint:
      'Where people may return after signing out, besides the Redirect URIs and the front pages of their origins. One URI per line.',
    no_redirect_uris: 'None. Nobody can sign in with this application.',
    require_pkce: 'Require PKCE (recommended)',
    require_pkce_hint:
      'Refuses sign-ins without a code challenge, so that a stolen code is worthless. Most libraries support it.',
    rotate: 'Replace refresh tokens at each use',
    rotate_hint:
      'For libraries that store the new refresh token after each use. A second use of an old one then ends the sign-in.',
    pkce_on: 'Required',
    pkce_off: 'Optional. Recommended: require it in the settings.',
    identity: 'Identity',
    secret_once: 'Your Client Secret',
    secrets: 'Client Secrets',
    secrets_hint:
      'An application can have several secrets: create a new one, switch your application to it, then withdraw the old one.',
    secret_name: 'Name of the new secret',
    secret_name_hint: 'Tells it apart: where you use it, like “staging server”.',
    new_secret: 'Create another secret',
    made: 'Created',
    withdraw: 'Withdraw',
    withdraw_title: (name: string) => `Withdraw a Client Secret of ${name}?`,
    withdraw_impact: 'Programs that still use it can no longer get tokens. Tokens that they have stay valid.',
    withdraw_last: 'It is the last one: nobody can sign in with the application until it has a new one.',
    logo: 'Logo',
    logo_file: 'Image',
    logo_hint: 'PNG, JPEG or WebP, square, at most 256 KB.',
    upload: 'Upload',
    remove_logo: 'Remove the logo',
    owners: 'Owners',
    owners_hint: 'Every owner can change the application, its secrets and its owners.',
    owner: 'Account name',
    owner_hint: 'They get an invitation by mail and become an owner when they accept.',
    add_owner: 'Add owner',
    invited: 'invited',
    invited_until: 'Valid until',
    uninvite: 'Cancel invitation',
    remove_owner: 'Remove',
    remove_owner_title: (name: string) => `Remove ${name} from the owners?`,
    remove_owner_impact: 'They can no longer open the pages of this application.',
    leave_title: (name: string) => `Remove yourself from the owners of ${name}?`,
    leave_impact: 'You can no longer open the pages of this application.',
    remove_owner_undo: 'An owner can send another invitation.',
    owner_since: 'Owner since',
    you: 'you',
    delete: 'Delete this application',
    delete_hint: 'Everything that uses its Client ID stops working immediately.',
    delete_title: (name: string) => `Delete ${name}?`,
    delete_confirm: (name: string) => `Type “${name}” to confirm`,
    delete_wrong: 'That is not the name of the application.',
    breaks_people: (text: string, count: number) =>
      count === 0
        ? 'No account is connected to it.'
        : `${text} ${count === 1 ? 'person' : 'people'} can no longer sign in with it.`,
    breaks_tokens: (text: string, count: number) =>
      count === 0
        ? 'It has no valid tokens.'
        : `${text} ${count === 1 ? 'token stops' : 'tokens stop'} working immediately.`,
    breaks_requests: (text: string, count: number) =>
      count === 0
        ? 'It has not called the data API in the last seven days.'
        : `It has called the data API ${text} ${count === 1 ? 'time' : 'times'} in the last seven days.`,
    breaks_for_good: 'The Client ID cannot be restored.',
    problems: {
      name: (max: number) => `Enter a name of 1 to ${max} characters.`,
      name_address:
        'The name must not contain an address: no @, no ://, and no host like example.org. Mails to others contain it.',
      type: 'Choose one of the types.',
      no_uri: 'This type needs at least one Redirect URI.',
      too_many_uris: (max: number) => `Enter at most ${max} Redirect URIs.`,
      uri: (uri: string, rule: string) => `${uri} ${rule}.`,
      uri_rules: {
        too_long: 'must not be longer than 2000 characters',
        not_absolute: 'must be an absolute URI',
        fragment: 'must not have a fragment (#)',
        credentials: 'must not contain a user name or password',
        unusual_host: 'must have a plain host: letters, digits, hyphens, underscores and dots',
        plain_http: 'must be https, except on this machine',
        not_https: 'must be https, or http on 127.0.0.1, [::1] or localhost',
        browser_scheme: 'must not use a scheme that browsers open themselves',
        scheme_without_dot: 'must use a scheme with a dot, as in com.example.app:/callback',
      } satisfies Record<RedirectUriProblem, string>,
      owner: (name: string) => `There is no account called “${name}”.`,
      owner_already: (name: string) => `${name} is already an owner.`,
      too_many_invitations: (max: number) => `You have sent ${max} invitations within a day. Try again tomorrow.`,
      too_many: (max: number) => `One account can own at most ${max} applications. Delete one, or ask the operator.`,
    },
  },

  usage: {
    title: 'The last seven days',
    never: 'Not used yet. Requests appear here within seconds.',
    streams: 'Open streams of changes',
    endpoints: 'By endpoint',
    endpoint: 'Endpoint',
    unknown: 'unknown paths',
    numbers: 'In numbers',
    served: 'successful',
    refused: 'failed (4xx, 5xx)',
    over: 'over the limit (429)',
    busiest: 'Busiest hour:',
    words: (requests: string, bad: string, limited: string) =>
      `${requests} requests, ${bad} refused, ${limited} over the limit`,
    counters: { requests: 'Requests', client_errors: '4xx', limited: '429', server_errors: '5xx' },
  },
};

export type Texts = typeof en;

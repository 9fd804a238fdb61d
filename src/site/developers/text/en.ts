export const en = {
  copy: 'Copy',
  copied: 'Copied',
  pages: {
    start: 'Quick start',
    reference: 'Reference',
    signIn: 'Sign-in',
    rules: 'Limits and errors',
    ingest: 'Game servers',
    changes: 'Changes',
  },
  nav: 'For developers',
  start: {
    title: 'For developers',
    lead: (network: string) =>
      `Everything that ${network} knows about servers, matches, maps, players and punishments, as JSON. And sign-in for your own site or app, with the accounts that players have already.`,
    steps: 'From nothing to the first answer',
    register:
      'Register your application in the console to get a Client ID and, for a service that runs on a server of your own, a Client Secret. Ask there for access to the data API.',
    console: 'Open the console',
    after: 'Then, in a terminal:',
    kinds: 'Which kind of token',
    kindsHead: ['You have', 'You may read', 'Requests an hour'],
    kindsRows: (user: string, app: string, address: string): [string, string, string][] => [
      ['An access token of a person who signed in', 'Public data, and `players/me`', `${user} for each person`],
      ['An access token of your application', 'Public data', `${app} for each application`],
      ['Your Client ID alone', 'Public data', `${address} for each address`],
    ],
    sent: 'A token goes into the header `Authorization: Bearer …` or, where headers cannot be set, into the parameter `access_token`. A Client ID goes into `X-Client-ID` or `client_id`.',
    onePlayer: 'One player',
    alone: 'From a browser, without a secret',
    aloneText:
      'The data API answers pages of every origin (CORS). A Client ID is no secret; a Client Secret never belongs into a page or an app.',
  },
  reference: {
    title: 'Reference of the data API',
    description: 'Every path, parameter, field, header and status of the data API.',
    lead: 'Made from the same source that routes and checks requests.',
    document: 'The OpenAPI 3.1 document',
    noScript: 'The reference is shown by a script. Without it, the document itself says the same:',
  },
  signIn: {
    title: 'Sign-in with OpenID Connect',
    description: 'How your application signs people in with their accounts here, with examples in four languages.',
    lead: 'OAuth 2.0 authorization code flow with OpenID Connect. Any certified client library needs no more than the address of the issuer:',
    flow: 'The steps',
    steps: [
      'Make up a `nonce` and a `state`, and keep them in the session of the person.',
      'Send the browser to the authorization endpoint. `redirect_uri` must equal one that you registered, to the letter.',
      'The person signs in, agrees, and comes back with `code`. It works once, for 60 seconds.',
      'Exchange the code for an access token (one hour), an ID token, and a refresh token (30 days; each use gives a new one, and using an old one ends them all).',
      'Check the ID token: signature by the keys of the issuer, `iss`, `aud`, `exp`, and that `nonce` is yours. Or hand it to `tokeninfo`.',
      'Know the person by `sub`. Read more from `userinfo`, and from the data API as `players/me`.',
    ],
    kinds: 'Three types of application',
    types: [
      [
        'installed',
        'Runs on the device of the person (a phone, a desktop). No secret. Redirects to a custom scheme, a claimed https address or a loopback address on any port. Use PKCE.',
      ],
      [
        'web',
        'Runs in the browser. No secret. Redirects to https. Use PKCE; the token endpoint answers pages of every origin.',
      ],
      ['service', 'Runs on a server of yours. Has a Client Secret, sent as HTTP Basic or in the form.'],
    ] as [string, string][],
    scopes: 'Scopes',
    scopeRows: [
      ['openid', 'Who it is: `sub`'],
      ['profile', 'Name, UUID and page of the player, and `players/me` in the data API'],
      ['email', 'Address, and whether it is verified'],
    ] as [string, string][],
    examples: 'A whole sign-in, in four languages',
    examplesText:
      'Each is complete and shows the name of who signed in. Put your Client ID, Client Secret and Redirect URI in.',
  },
  rules: {
    title: 'Limits, errors, paging',
    description: 'How many requests, what errors look like, how lists are paged, and how to ask for what has changed.',
    limits: 'Limits',
    limitsText: 'A window of one hour begins with the first request. Every answer, errors too, says how it stands:',
    limitHeaders: [
      ['X-RateLimit-Limit', 'Requests allowed in an hour'],
      ['X-RateLimit-Remaining', 'Requests left before the limit'],
      ['X-RateLimit-Reset', 'When the window ends, in Unix seconds'],
    ] as [string, string][],
    over: 'Beyond the limit the answer is 429 with `Retry-After` in seconds. Ask for a higher limit in the console.',
    errors: 'Errors',
    errorsText: 'Every error has the same two fields: a code for programs, a sentence for people.',
    errorRows: [
      [
        '400',
        'invalid_request',
        'Something in the request is malformed; the sentence says what, and what would be right',
      ],
      ['401', 'invalid_token', 'No token or Client ID, or one that is unknown, expired or revoked: get a new token'],
      [
        '403',
        'insufficient_scope',
        'The token does not reach so far: `players/me` needs a person’s token with `profile`',
      ],
      ['403', 'access_not_approved', 'Your application has no access to the data API yet'],
      ['404', 'not_found', 'There is no such thing, or no longer'],
      ['405', 'method_not_allowed', 'The data API is only read: GET, HEAD, OPTIONS'],
      ['429', 'rate_limit', 'Too many requests'],
      ['500', 'server_error', 'Our fault; it is in our log'],
      [
        '503',
        'temporarily_unavailable',
        'Try again after `Retry-After` seconds. A proxy in front may answer 502 with the same body',
      ],
    ] as [string, string, string][],
    paging: 'Paging',
    pagingText:
      'Lists are newest first, 20 items unless `limit` (up to 100) says otherwise. Pass the last id of a page as `max_id` to get the next. Whoever walks from the newest to a known id, and repeats, sees every match once.',
    changed: 'Ask only for what has changed',
    changedText:
      'Every answer has an `ETag`. Send it back in `If-None-Match`, and an unchanged answer is a short 304 (which counts as a request).',
  },
  ingest: {
    title: 'For game servers',
    description: 'How a game server tells the network what happened on it.',
    lead: 'Game servers write through a door of their own, each with a key that speaks for that server only. Ask the operator of the network for a key.',
    text: [
      'A delivery is one event, an array, or a stream of lines (NDJSON), up to what the answer of the door says, plain or compressed. Each event has an id of the sender’s own: sent again, it changes nothing.',
      'The answer has a receipt for each event, in order: `accepted` (it is on disk and readers see it), `duplicate`, or `rejected` with the reason and the place. One bad event never spoils those beside it.',
      'Keep events in a queue on disk until they are receipted. Then nothing is lost, whichever side goes down.',
    ],
    types: 'What can be told',
    document: 'The OpenAPI document of this door',
  },
  changes: {
    title: 'Changes and deprecation',
    description: 'What has changed in the data API, and how what goes away is announced.',
    promise: 'What we promise',
    promises: [
      'Within `/v1` fields, values of open vocabularies, parameters and paths may be added at any time: ignore what you do not know.',
      'Nothing is taken away and no meaning changes without an announcement at least 180 days ahead.',
      'What is going away says so in every answer: `Deprecation` (RFC 9745) has the moment of the announcement, `Sunset` (RFC 8594) the moment of the end, and `Link: rel="deprecation"` leads to the note below.',
      'Whoever owns an application that uses it is written to as well.',
    ],
    log: 'Log',
    entries: [
      ['1', 'The data API, version 1: servers, matches, maps, punishments, players.'],
      ['1', 'Sign-in with OpenID Connect.'],
    ] as [string, string][],
  },
};

/** What the developers' pages say in one language. Paragraphs may hold `code` between backticks. */
export type Text = typeof en;

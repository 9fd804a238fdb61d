import type { Language } from '#http/languages.ts';
import { changes, lists, log } from './en-feed.ts';

export const en = {
  copy: 'Copy',
  language: 'Programming language',
  copied: 'Copied',
  pages: {
    start: 'Quick start',
    reference: 'Reference',
    signIn: 'Sign-in',
    rules: 'Limits and errors',
    lists: 'Look-ups and lists',
    changes: 'Follow changes',
    webhooks: 'Webhooks',
    ingest: 'Game servers',
    deprecation: 'Changes of the API',
  },
  nav: 'For developers',
  start: {
    title: 'For developers',
    lead: (network: string) =>
      `Read the servers, matches, maps, players and punishments of ${network} as JSON, and let players sign in to your own site or app with the accounts they already have.`,
    steps: 'Your first request',
    register:
      'Register your application in the console to get a Client ID. A service that runs on your own server also gets a Client Secret. Request access to the data API there too.',
    console: 'Open the console',
    after: 'Then run this in a terminal:',
    credentials: 'Which credential to use',
    credentialColumns: ['Credential', 'What it can read', 'Requests per hour'],
    credentialRows: (user: string, app: string, address: string): [string, string, string][] => [
      ['Access token of a signed-in person', 'Public data and `players/me`', `${user} per person`],
      ['Access token of your application', 'Public data', `${app} per application`],
      ['Client ID only', 'Public data', `${address} per IP address`],
    ],
    transport:
      'Send a token in the `Authorization: Bearer …` header or, if you cannot set headers, in the `access_token` parameter. Send a Client ID in the `X-Client-ID` header or the `client_id` parameter.',
    onePlayer: 'Read one player',
    browser: 'From a browser, without a secret',
    browserText:
      'Pages of any origin can call the data API (CORS). A Client ID is not secret. Never put a Client Secret into a page or an app.',
    client: 'With the client library',
    clientText:
      'The package `scorehall-client` for TypeScript and JavaScript (Node, Deno, Bun, browsers) has no dependencies. It keeps and renews tokens, waits before the limit is used up, reads lists page by page, follows changes or mirrors them into your database, and verifies webhooks. Its sources and README, with a bot for Discord, a statistics site and an overlay, are in `packages/client` of Scorehall.',
    generated: 'With a generated client',
    generatedText: [
      'Generators make clients from the OpenAPI document. `fields` is one parameter with commas (`explode: false`); sent once for each value, as `openapi-fetch` does, it is the same list.',
      'The code of hey-api needs `dom.iterable` in the `lib` of your `tsconfig.json`. Functions of orval request paths only: set the origin of the API with its `baseUrl`, and pass the `Authorization` header to each function.',
    ],
  },
  reference: {
    lang: 'en' as Language,
    title: 'Data API reference',
    description: 'Every path, parameter, field, header and status code of the data API.',
    lead: 'Generated from the definitions that the service uses to route and validate requests.',
    document: 'The OpenAPI 3.1 document',
    contents: 'Parts of the reference',
    application: 'Your application',
    applicationText:
      'A request needs a Client ID, which is public: “Run” sends it and reads public data. Keep tokens and Client Secrets out of forms and addresses.',
    use: 'Use',
    signIn: 'Sign in to use your own applications',
    register: 'Register an application',
    credentials: 'Requests',
    credentialColumns: ['Credential', 'Meaning'],
    headers: 'Headers',
    headerColumns: ['Header', 'Meaning'],
    errors: 'Errors',
    schemas: 'Schemas',
    parameters: 'Parameters',
    answers: 'Responses',
    try: 'Try it',
    run: 'Run',
    running: 'Waiting for the response …',
    unreachable: 'The data API did not respond.',
    deprecated: 'deprecated',
    required: 'required',
    optional: 'not always present',
  },
  signIn: {
    title: 'Sign‑in with OpenID Connect',
    description: 'How to sign people in to your application with their accounts here, with examples in four languages.',
    lead: 'OAuth 2.0 authorization code flow with OpenID Connect. A certified client library needs only the issuer URL:',
    flow: 'Steps',
    steps: [
      'Generate a random `nonce` and `state`, and store both in the person’s session.',
      'Redirect the browser to the authorization endpoint. `redirect_uri` must match one of your registered Redirect URIs exactly.',
      'The person signs in and gives consent. The browser returns to your Redirect URI with a `code`, which works once and expires after 60 seconds.',
      'Exchange the code for an access token (valid for one hour), an ID token, and a refresh token (valid for 30 days from its last use). That of an `installed` or `web` application is replaced at each use, and using an old one again revokes them all; a `service` keeps its own, unless it is set to replacement.',
      'Validate the ID token: check its signature with the issuer’s keys, its `iss`, `aud` and `exp`, and that its `nonce` is yours. Alternatively, send it to `tokeninfo`.',
      'Identify the person by `sub`. Read more about them from `userinfo` and from `players/me` of the data API.',
    ],
    kinds: 'Application types',
    types: [
      [
        'installed',
        'Runs on the person’s device (phone or desktop). Has no secret. Redirects to a custom scheme, a claimed https address, or a loopback address on any port. Use PKCE.',
      ],
      [
        'web',
        'Runs in the browser. Has no secret. Redirects to https. Use PKCE. Only pages of the origins of its Redirect URIs can call the token endpoint.',
      ],
      [
        'service',
        'Runs on your own server. Has a Client Secret, sent with HTTP Basic authentication or as a form field.',
      ],
    ] as [string, string][],
    apps: 'Apps',
    appsText: [
      'Open the sign-in in the system’s browser, never in the app’s own view. Exchange the code outside of the page: browsers let only pages of registered origins call the token endpoint, not those of `app://`, `tauri://localhost` or `capacitor://localhost`.',
      '`Electron`: in the main process. The code arrives in the event `open-url` or `second-instance`.',
      '`Tauri`: in Rust, or by `fetch` of `@tauri-apps/plugin-http`. The code arrives by the deep-link plug-in.',
      '`Capacitor`: by `CapacitorHttp.post`. The code arrives in the event `appUrlOpen`.',
      'A `service` with a phone app registers https addresses only. Let the app open your site’s sign-in: your server exchanges the code, and its callback redirects on to the app’s own scheme (`com.example.app:/done`) with a one-time code of yours. Or register the app as an `installed` application too; `sub` is the same in both.',
    ],
    scopes: 'Scopes',
    scopeRows: [
      ['openid', 'The identifier of the person, `sub`'],
      [
        'profile',
        'Name, UUID and page of the player, and `players/me` in the data API. Applications that an operator has approved also learn whether the player is `banned`',
      ],
      ['email', 'Email address, and whether it is verified'],
      ['offline_access', 'Accepted for libraries that ask for it; refresh tokens are issued without it, too'],
    ] as [string, string][],
    examples: 'A complete sign‑in in four languages',
    examplesText:
      'Each example is a complete program that shows the name of the signed-in person. Fill in your Client ID, Client Secret and Redirect URI.',
    libraries: 'Settings of libraries',
    librariesText:
      'Name and e-mail address come from userinfo, which Auth.js reads with `idToken: false` and Passport with `skipUserProfile: false`. Strict libraries need a scope for client credentials: `scope=profile`.',
  },
  rules: {
    title: 'Limits, errors, paging',
    description: 'Request limits, the format of errors, paging through lists, and conditional requests.',
    limits: 'Limits',
    limitsText:
      'A window of one hour starts with the first request. Every response, including errors, reports its current state:',
    limitHeaders: [
      ['X-RateLimit-Limit', 'Requests allowed per hour'],
      ['X-RateLimit-Remaining', 'Requests left in this window'],
      ['X-RateLimit-Reset', 'When the window ends, in Unix seconds'],
    ] as [string, string][],
    limitsHead: ['Requests with', 'Counted for', 'Per hour'],
    limitRows: (user: string, application: string, address: string, server: string) => [
      [
        'the access token of a person',
        'the person, in all applications together; an application with its own limit counts its own',
        user,
      ],
      ['the access token of an application', 'the application; it can have its own limit', application],
      ['only a Client ID', 'the address (IPv6: its /64)', address],
      ['the key of a game server', 'the game server', server],
      ['wrong credentials', 'the address, apart from the others', address],
    ],
    ignored:
      'The header `X-Ignored-Parameters` names the query parameters that the endpoint does not have and ignored.',
    over: 'Requests over the limit get status 429, with the seconds to wait in `Retry-After`. You can request a higher limit in the console.',
    tokens: 'Tokens',
    tokensText: (hourly: string, live: string) =>
      `Use a token until it expires instead of requesting one for each call. Your application gets up to ${hourly} tokens per hour for itself, and as many for each person by sign-ins and by refreshes; after that, the token endpoint answers 429 with \`Retry-After\`. Up to ${live} tokens of your own are valid at a time, and of each person up to ${live} access tokens, ${live} refresh tokens and ${live} sign-ins: one more ends the one that expires first. If a call gets 401, request a new token.`,
    errors: 'Errors',
    errorsText: 'Every error has the same two fields: a code for programs and a sentence for people.',
    errorRows: [
      ['400', 'invalid_request', 'The request is malformed; the sentence says what is wrong and what would be right'],
      ['401', 'invalid_token', 'The token or Client ID is missing, unknown, expired or revoked: get a new token'],
      [
        '403',
        'insufficient_scope',
        'The token lacks the required scope: `players/me` needs a person’s token with `profile`',
      ],
      ['403', 'access_not_approved', 'Your application has not been approved for the data API yet'],
      ['404', 'not_found', 'The resource does not exist or has been removed'],
      ['405', 'method_not_allowed', 'The data API is read-only: use GET, HEAD or OPTIONS'],
      ['429', 'rate_limit', 'Too many requests'],
      ['500', 'server_error', 'Something failed on our side; the error is in our log'],
      [
        '503',
        'temporarily_unavailable',
        'Try again after `Retry-After` seconds. A reverse proxy may return 502 with the same body',
      ],
    ] as [string, string, string][],
    paging: 'Paging',
    pagingText:
      'Lists are newest first, with 20 items per page unless you set `limit` (up to 100). Pass the last id of a page as `max_id` to get the next page. To follow new matches, repeatedly page from the newest match to the newest id you already have: you receive every match exactly once.',
    changed: 'Conditional requests',
    changedText:
      'Every response has an `ETag`. Send it back in `If-None-Match`: while nothing has changed, the response is a short 304, which counts as a request.',
  },
  ingest: {
    title: 'For game servers',
    description: 'How a game server reports its events to the network.',
    lead: 'Game servers send events to the ingest service. Each server has its own key, which is valid for that server only. Ask the operator of the network for a key.',
    text: [
      'A request body is one event, an array of events, or a stream with one event per line (NDJSON), plain or compressed. If a body is too large, the error states the limit. The sender gives each event an id; sending the same event again changes nothing.',
      'The response has one receipt per event, in the same order: `accepted` (stored on disk and visible to readers), `duplicate`, or `rejected` with the reason and the place in the event. A rejected event does not affect the others.',
      'Keep each event in a queue on disk until you have its receipt. Then no event is lost if either side goes down.',
    ],
    types: 'Event types',
    document: 'The OpenAPI document of the ingest service',
  },
  webhooks: {
    title: 'Webhooks',
    description:
      'Have changes of matches, maps, punishments, players and servers sent to your program or to a Discord channel.',
    intro: [
      'Add a webhook on the page of your application in the console. It needs access to the data API. The console shows its secret once.',
      'Messages follow Standard Webhooks: each is a POST with `webhook-id`, `webhook-timestamp` and `webhook-signature`. The signature is `v1,` and the HMAC-SHA256 of `id.timestamp.body` in base64, under the bytes after `whsec_` of the secret, also base64. While a secret is being replaced there are two, separated by a space. Libraries of standardwebhooks.com verify them in most languages.',
    ],
    receive: 'Receive messages',
    receiver:
      'A receiver without dependencies. The first message, `webhook.verification`, has a challenge: answer with it, or enter it in the console.',
    tryIt: 'Try your receiver',
    messages: 'What a message contains',
    messagesText: [
      'A change has the type `match.created`, `player.changed`, `map.withdrawn` and so on, and in `data` the item of `/v1/changes`: `id`, `type`, `revision`, `time` and `url`. New and changed matches also have the facts of `/v1/matches` in `match`. Read the rest from `url`.',
      'A change is delivered at least once. A higher `revision` replaces a lower one; the same one can come again. You get the newest state of each resource, not every step. `withdrawn`, `merged` and `erased` remove a resource, and are sent whatever kinds you chose.',
      '`feed.reset`: your copy may be wrong, because a backup was restored or you were away for longer than removals are stored. `continues` says whether the webhook goes on with new changes (`head`) or sends everything again (`start`).',
      '`webhook.test` needs no action.',
    ],
    answers: 'What your answer means',
    answersColumns: ['Answer', 'Meaning'],
    answersRows: [
      ['200 to 299, within 15 seconds', 'Received'],
      ['410', 'Never send again: the webhook is switched off'],
      ['429; 503 with `Retry-After`', 'Later: nothing is sent until then, for a day at most'],
      ['Anything else, redirects too', 'Failed'],
    ] as [string, string][],
    failures: [
      'Messages come one at a time, in the order of the changes. One that failed is sent again after 5 seconds and after 5 minutes. If it fails a third time, the next one is tried: if you accept that, the refused message is logged as failed, and the following ones continue. It is tried twice more, after 30 minutes and 2 hours, and you can send it again from the log of the console.',
      'If you do not accept the next one either, your receiver is down: nothing is skipped, and the pauses grow to 2 hours (with jitter). After five days without success the webhook is switched off, and you get a mail. Nothing is lost: it keeps its place, and continues there when you switch it on. `feed.reset` is never skipped.',
    ],
    discord: 'Discord',
    discordText:
      'For a channel enter the address of a webhook that you have made in its settings. It shows new matches and punishments of the last day, each once and up to ten in a message, and mentions nobody.',
  },
  lists,
  changes,
  deprecation: {
    title: 'Changes of the API',
    description: 'What has changed in the data API, and how removals are announced.',
    promise: 'What we promise',
    promises: [
      'We may add values of open vocabularies, parameters and paths to `/v1` at any time. Fields are only added where you name them in `fields`, or where the schema in the OpenAPI document allows more: ignore those you do not know.',
      'We announce every removal and every change of meaning at least 180 days in advance.',
      'Every response of a deprecated endpoint says so: `Deprecation` (RFC 9745) holds the time of the announcement, `Sunset` (RFC 8594) the time of the removal, and `Link: rel="deprecation"` points to the note below.',
      'We also write to the owners of the applications that use it.',
    ],
    log: 'Log',
    entries: log,
  },
};

/** The texts of the developer pages in one language. Paragraphs may contain `code` between backticks. */
export type Text = typeof en;

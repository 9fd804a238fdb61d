import type { Limit } from './limit.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const REFUSED = '429 with `Retry-After`';
const ON_LINK_PAGE = `${REFUSED}, on a page that offers a sign-in link by mail`;
const PROBLEM = 'the form again, with the problem';

const HOURLY = { windowMs: HOUR_MS, counter: 'COUNTERS' } as const;
const DAILY_MAIL = { max: { account: 1 }, windowMs: DAY_MS, beyond: 'no mail' } as const;

/**
 * All limits of requests, forms, mails, tokens and events by their sender; docs/limits.md is generated from them. Maximum
 * sizes are in the code that reads the bodies, and the capacities of queues in the queues.
 */
export const LIMITS = {
  user: {
    counts: "requests to the data API with a user's token; an application can have its own limit for each user",
    max: { user: 'USER_LIMIT' },
    ...HOURLY,
  },
  application: {
    counts: "requests to the data API with an application's own token; an application can have its own limit",
    max: { application: 'APP_LIMIT' },
    ...HOURLY,
  },
  server: {
    counts: 'requests to the data API with the key of a game server',
    max: { server: 'SERVER_LIMIT' },
    ...HOURLY,
  },
  clientId: {
    counts: 'requests to the data API with only a Client ID',
    max: { network: 'ADDRESS_LIMIT' },
    ...HOURLY,
  },
  failedCredentials: {
    counts: 'requests to the data API with wrong credentials',
    max: { network: 'ADDRESS_LIMIT' },
    ...HOURLY,
    beyond: `${REFUSED}; 401 for a token that was valid before`,
  },
  /** Each is a request to an unconfirmed address. */
  webhookTest: {
    counts: 'webhooks that are added, and test messages',
    max: { application: 60 },
    windowMs: HOUR_MS,
    beyond: PROBLEM,
  },
  /** A receiver that fails, is switched on and fails again would send one each time. */
  webhookMail: {
    counts: 'mails to the owners about a webhook that the service has switched off',
    max: { webhook: 1 },
    windowMs: DAY_MS,
    beyond: 'the mail waits for the end of the day, and is sent if the webhook is still off',
  },
  /** A mirror begins with it: a million matches would take eleven hours within the hourly limit. */
  walk: {
    counts: 'walks through the feed of changes from `after=0`, whose pages are paced and do not count as requests',
    max: { application: 1 },
    windowMs: DAY_MS,
    beyond: 'the pages count as requests',
  },
  walkPage: {
    counts: 'pages of such a walk',
    max: { application: 120 },
    windowMs: MINUTE_MS,
    counter: 'memory',
  },
  openStream: {
    counts: 'open streams of changes',
    max: { application: 'STREAM_LIMIT', applicationAccount: 10, server: 10, network: 10 },
    counter: 'memory',
  },
  /** Bounds the sockets and memory. */
  openStreamAnywhere: {
    counts: 'open streams of changes, all together',
    max: { process: 20_000 },
    beyond: '503 with `Retry-After`',
    counter: 'memory',
  },
  token: {
    counts: 'tokens of one grant type',
    max: { application: 'TOKEN_LIMIT', applicationAccount: 'TOKEN_LIMIT' },
    ...HOURLY,
  },
  liveToken: {
    counts: 'valid access tokens; refresh tokens; sign-ins; browsers in which an account is signed in',
    max: { application: 'LIVE_TOKEN_LIMIT', applicationAccount: 'LIVE_TOKEN_LIMIT', account: 'LIVE_TOKEN_LIMIT' },
    beyond: 'a further one ends the one that expires first',
  },
  signIn: {
    counts: 'sign-ins that browsers start, and sign-outs without a session',
    max: { network: 'SIGN_IN_LIMIT' },
    windowMs: HOUR_MS,
  },
  pushedSignIn: {
    counts: 'authorization requests that a service pushes',
    max: { application: 'SIGN_IN_LIMIT' },
    factor: 10,
    windowMs: HOUR_MS,
  },
  /** Each stores some kilobytes, which stay until the request is used or expires. */
  openSignIn: {
    counts: 'sign-ins, and sign-outs without a session, that browsers have started and not finished within an hour',
    max: { network: 300 },
    beyond: 'a further one ends the one that expires first',
  },
  /** They live for a minute, and the limit of an hour is 500 a minute. */
  openPushedRequest: {
    counts: 'authorization requests that a service has pushed within a minute',
    max: { application: 500 },
    beyond: 'a further one ends the one that expires first',
  },
  /** 100 an hour do not find a password that the rules allow. */
  wrongPassword: {
    counts: 'wrong passwords at sign-in to one account',
    max: { knownBrowser: 20, otherBrowsers: 100 },
    windowMs: HOUR_MS,
    beyond: ON_LINK_PAGE,
  },
  wrongPasswordAnywhere: {
    counts: 'wrong passwords at sign-in, all accounts together',
    max: { network: 60 },
    windowMs: 15 * MINUTE_MS,
    beyond: ON_LINK_PAGE,
  },
  wrongPasswordMail: {
    counts: 'mails to the owner of an account about wrong passwords',
    ...DAILY_MAIL,
  },
  /** 20 a day do not find one of the three codes in a million that count. */
  wrongCode: {
    counts: 'wrong codes of the authenticator app of an account',
    max: { knownBrowser: 20, otherBrowsers: 20 },
    windowMs: DAY_MS,
    beyond: 'only a passkey or a recovery code counts, and the owner gets a mail',
  },
  wrongCodeMail: {
    counts: 'mails to the owner of an account about wrong codes',
    ...DAILY_MAIL,
  },
  register: {
    counts: 'registrations',
    max: { network: 20 },
    windowMs: HOUR_MS,
    beyond: PROBLEM,
  },
  registrationMail: {
    counts: 'mails about a registration of one kind (to finish it, or that the account exists) to an e-mail address',
    max: { account: 1 },
    windowMs: 10 * MINUTE_MS,
    beyond: 'no mail, and the same page',
  },
  recover: {
    counts: 'requests for a mail to recover an account, to sign in, or to confirm an e-mail address',
    max: { network: 20 },
    windowMs: HOUR_MS,
    beyond: 'no mail',
  },
  /** These mails can be requested without signing in, so an account gets few; an earlier link stays valid. */
  accessMail: {
    counts: 'mails with a link of one kind (recovery, sign-in)',
    max: { account: 1 },
    windowMs: 10 * MINUTE_MS,
    beyond: 'no mail',
  },
  email: {
    counts: 'changes of an e-mail address; the new address counts as an account',
    max: { network: 20, accountInNetwork: 4, account: 40 },
    windowMs: HOUR_MS,
    beyond: PROBLEM,
  },
  password: {
    counts: 'current passwords on the account pages; a right one deletes the count of account and address',
    max: { network: 60, accountInNetwork: 10, account: 100 },
    windowMs: 15 * MINUTE_MS,
    beyond: PROBLEM,
  },
  factorMail: {
    counts: 'mails with the code that confirms the first passkey or authenticator app',
    max: { session: 3, account: 10 },
    windowMs: HOUR_MS,
    beyond: PROBLEM,
  },
  end: {
    counts: 'requests of the account page that end sessions or the access of an application',
    max: { network: 1_000, accountInNetwork: 100, account: 1_000 },
    windowMs: HOUR_MS,
  },
  export: {
    counts: 'exports of the data of an account',
    max: { network: 60, accountInNetwork: 10, account: 100 },
    windowMs: HOUR_MS,
  },
  /** Every form can create rows, so their number is limited, far above normal use. */
  consoleForm: {
    counts: 'forms of the console, except those of operators and moderators',
    max: { account: 300 },
    windowMs: HOUR_MS,
  },
  consoleRefusal: {
    counts: 'refused requests to the console in the audit log',
    max: { account: 200 },
    windowMs: HOUR_MS,
    beyond: 'the refusal is only in the log of the process',
  },
  /** Each invitation sends a mail to another person. */
  ownerInvitation: {
    counts: 'invitations of owners of applications',
    max: { account: 30 },
    windowMs: DAY_MS,
    beyond: PROBLEM,
  },
  invitationMail: {
    counts: 'mails that invite an account to own an application',
    max: { applicationAccount: 1 },
    windowMs: DAY_MS,
    beyond: 'no mail, and the same page',
  },
  page: {
    counts: 'pages of the site; a picture counts as a tenth of a page',
    max: { network: 'SITE_LIMIT' },
    windowMs: MINUTE_MS,
    counter: 'memory',
  },
  /** More at a time would only delay the pages of other addresses. */
  openPage: {
    counts: 'pages of the site in progress, without pictures',
    max: { network: 10 },
    beyond: 'the page waits',
    counter: 'memory',
  },
  /** A visible page asks at most 20 times a minute. */
  livePage: {
    counts:
      'requests of `/live`, by which a visible page of the site follows what changes, except those answered with 304 from memory',
    max: { network: 600 },
    windowMs: MINUTE_MS,
    beyond: `${REFUSED}; the page stays as it is and asks later`,
    counter: 'memory',
  },
  event: {
    counts: 'events',
    max: { server: 'INGEST_LIMIT' },
    windowMs: MINUTE_MS,
    counter: 'memory',
  },
  eventWeight: {
    counts: 'weight of the events: about the rows that they write, or their bytes / 256 if that is more',
    max: { server: 'INGEST_WEIGHT_LIMIT' },
    windowMs: MINUTE_MS,
    counter: 'memory',
  },
  /** A smaller request may still be within a limit, but parsing any number of them would delay the other servers. */
  parsedRefusal: {
    counts: 'requests and batches of streams that exceed a limit of events or weight',
    max: { server: 8 },
    windowMs: MINUTE_MS,
    beyond: `${REFUSED}, before the body is read`,
    counter: 'memory',
  },
  /** Players are stored for ever, and a server can invent UUIDs. */
  newPlayer: {
    counts: 'players that events add',
    max: { server: 'NEW_PLAYERS_LIMIT' },
    windowMs: HOUR_MS,
    beyond: 'the event is `rejected` with `"retry": true`',
    counter: 'memory',
  },
  openRequest: {
    counts: 'open requests to the ingest',
    max: { server: 128 },
    counter: 'memory',
  },
  heldMebibyte: {
    counts: 'MiB of request bodies in memory, after decompression',
    max: { server: 128 },
    counter: 'memory',
  },
} as const satisfies Record<string, Limit>;

import type { Config } from '#platform/config/config.ts';
import { FEED_LIMITS } from './feed-limits.ts';
import type { Limit, LimitSetting, Subject } from './limit.ts';
import { PAGE_LIMITS } from './page-limits.ts';

const MINUTE_MS = 60_000;
const QUARTER_MS = 15 * MINUTE_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const REFUSED = '429 with `Retry-After`';
const PROBLEM = 'the form again, with the problem';

/**
 * All limits of requests, forms, mails, tokens and events by their sender; docs/limits.md is generated from them. Maximum
 * sizes are in the code that reads the bodies, and the capacities of queues in the queues.
 */
export const LIMITS = {
  user: {
    counts: "requests to the data API with a user's token; an application can have its own limit for each user",
    max: { user: 'USER_LIMIT' },
    windowMs: HOUR_MS,
    beyond: REFUSED,
    counter: 'COUNTERS',
  },
  application: {
    counts: "requests to the data API with an application's own token; an application can have its own limit",
    max: { application: 'APP_LIMIT' },
    windowMs: HOUR_MS,
    beyond: REFUSED,
    counter: 'COUNTERS',
  },
  server: {
    counts: 'requests to the data API with the key of a game server',
    max: { server: 'SERVER_LIMIT' },
    windowMs: HOUR_MS,
    beyond: REFUSED,
    counter: 'COUNTERS',
  },
  clientId: {
    counts: 'requests to the data API with only a Client ID',
    max: { network: 'ADDRESS_LIMIT' },
    windowMs: HOUR_MS,
    beyond: REFUSED,
    counter: 'COUNTERS',
  },
  failedCredentials: {
    counts: 'requests to the data API with wrong credentials',
    max: { network: 'ADDRESS_LIMIT' },
    windowMs: HOUR_MS,
    beyond: `${REFUSED}; 401 for a token that was valid before`,
    counter: 'COUNTERS',
  },
  ...FEED_LIMITS,
  token: {
    counts: 'tokens of one grant type',
    max: { application: 'TOKEN_LIMIT', applicationAccount: 'TOKEN_LIMIT' },
    windowMs: HOUR_MS,
    beyond: REFUSED,
    counter: 'COUNTERS',
  },
  liveToken: {
    counts: 'valid access tokens; refresh tokens; sign-ins; browsers in which an account is signed in',
    max: { application: 'LIVE_TOKEN_LIMIT', applicationAccount: 'LIVE_TOKEN_LIMIT', account: 'LIVE_TOKEN_LIMIT' },
    beyond: 'a further one ends the one that expires first',
    counter: 'database',
  },
  signIn: {
    counts: 'sign-ins that browsers start, and sign-outs without a session',
    max: { network: 'SIGN_IN_LIMIT' },
    windowMs: HOUR_MS,
    beyond: REFUSED,
    counter: 'database',
  },
  pushedSignIn: {
    counts: 'authorization requests that a service pushes',
    max: { application: 'SIGN_IN_LIMIT' },
    factor: 10,
    windowMs: HOUR_MS,
    beyond: REFUSED,
    counter: 'database',
  },
  /** Each stores some kilobytes, which stay until the request is used or expires. */
  openSignIn: {
    counts: 'sign-ins, and sign-outs without a session, that browsers have started and not finished within an hour',
    max: { network: 300 },
    beyond: 'a further one ends the one that expires first',
    counter: 'database',
  },
  /** They live for a minute, and the limit of an hour is 500 a minute. */
  openPushedRequest: {
    counts: 'authorization requests that a service has pushed within a minute',
    max: { application: 500 },
    beyond: 'a further one ends the one that expires first',
    counter: 'database',
  },
  /** 100 an hour do not find a password that the rules allow. */
  wrongPassword: {
    counts: 'wrong passwords at sign-in to one account',
    max: { knownBrowser: 20, otherBrowsers: 100 },
    windowMs: HOUR_MS,
    beyond: `${REFUSED}, on a page that offers a sign-in link by mail`,
    counter: 'database',
  },
  wrongPasswordAnywhere: {
    counts: 'wrong passwords at sign-in, all accounts together',
    max: { network: 60 },
    windowMs: QUARTER_MS,
    beyond: `${REFUSED}, on a page that offers a sign-in link by mail`,
    counter: 'database',
  },
  wrongPasswordMail: {
    counts: 'mails to the owner of an account about wrong passwords',
    max: { account: 1 },
    windowMs: DAY_MS,
    beyond: 'no mail',
    counter: 'database',
  },
  /** 20 a day do not find one of the three codes in a million that count. */
  wrongCode: {
    counts: 'wrong codes of the authenticator app of an account',
    max: { knownBrowser: 20, otherBrowsers: 20 },
    windowMs: DAY_MS,
    beyond: 'only a passkey or a recovery code counts, and the owner gets a mail',
    counter: 'database',
  },
  wrongCodeMail: {
    counts: 'mails to the owner of an account about wrong codes',
    max: { account: 1 },
    windowMs: DAY_MS,
    beyond: 'no mail',
    counter: 'database',
  },
  register: {
    counts: 'registrations',
    max: { network: 20 },
    windowMs: HOUR_MS,
    beyond: PROBLEM,
    counter: 'database',
  },
  registrationMail: {
    counts: 'mails about a registration of one kind (to finish it, or that the account exists) to an e-mail address',
    max: { account: 1 },
    windowMs: 10 * MINUTE_MS,
    beyond: 'no mail, and the same page',
    counter: 'database',
  },
  recover: {
    counts: 'requests for a mail to recover an account, to sign in, or to confirm an e-mail address',
    max: { network: 20 },
    windowMs: HOUR_MS,
    beyond: 'no mail',
    counter: 'database',
  },
  /** These mails can be requested without signing in, so an account gets few; an earlier link stays valid. */
  accessMail: {
    counts: 'mails with a link of one kind (recovery, sign-in)',
    max: { account: 1 },
    windowMs: 10 * MINUTE_MS,
    beyond: 'no mail',
    counter: 'database',
  },
  email: {
    counts: 'changes of an e-mail address; the new address counts as an account',
    max: { network: 20, accountInNetwork: 4, account: 40 },
    windowMs: HOUR_MS,
    beyond: PROBLEM,
    counter: 'database',
  },
  password: {
    counts: 'current passwords on the account pages; a right one deletes the count of account and address',
    max: { network: 60, accountInNetwork: 10, account: 100 },
    windowMs: QUARTER_MS,
    beyond: PROBLEM,
    counter: 'database',
  },
  factorMail: {
    counts: 'mails with the code that confirms the first passkey or authenticator app',
    max: { session: 3, account: 10 },
    windowMs: HOUR_MS,
    beyond: PROBLEM,
    counter: 'database',
  },
  end: {
    counts: 'requests of the account page that end sessions or the access of an application',
    max: { network: 1_000, accountInNetwork: 100, account: 1_000 },
    windowMs: HOUR_MS,
    beyond: REFUSED,
    counter: 'database',
  },
  export: {
    counts: 'exports of the data of an account',
    max: { network: 60, accountInNetwork: 10, account: 100 },
    windowMs: HOUR_MS,
    beyond: REFUSED,
    counter: 'database',
  },
  /** Every form can create rows, so their number is limited, far above normal use. */
  consoleForm: {
    counts: 'forms of the console, except those of operators and moderators',
    max: { account: 300 },
    windowMs: HOUR_MS,
    beyond: REFUSED,
    counter: 'database',
  },
  consoleRefusal: {
    counts: 'refused requests to the console in the audit log',
    max: { account: 200 },
    windowMs: HOUR_MS,
    beyond: 'the refusal is only in the log of the process',
    counter: 'database',
  },
  /** Each invitation sends a mail to another person. */
  ownerInvitation: {
    counts: 'invitations of owners of applications',
    max: { account: 30 },
    windowMs: DAY_MS,
    beyond: PROBLEM,
    counter: 'database',
  },
  invitationMail: {
    counts: 'mails that invite an account to own an application',
    max: { applicationAccount: 1 },
    windowMs: DAY_MS,
    beyond: 'no mail, and the same page',
    counter: 'database',
  },
  ...PAGE_LIMITS,
  event: {
    counts: 'events',
    max: { server: 'INGEST_LIMIT' },
    windowMs: MINUTE_MS,
    beyond: REFUSED,
    counter: 'memory',
  },
  eventWeight: {
    counts: 'weight of the events: about the rows that they write, or their bytes / 256 if that is more',
    max: { server: 'INGEST_WEIGHT_LIMIT' },
    windowMs: MINUTE_MS,
    beyond: REFUSED,
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
    beyond: REFUSED,
    counter: 'memory',
  },
  heldMebibyte: {
    counts: 'MiB of request bodies in memory, after decompression',
    max: { server: 128 },
    beyond: REFUSED,
    counter: 'memory',
  },
} as const satisfies Record<string, Limit>;

type Limits = typeof LIMITS;
/** The limits of a window. */
export type RateLimitName = {
  [Name in keyof Limits]: Limits[Name] extends { windowMs: number } ? Name : never;
}[keyof Limits];

/** The ids of the subjects of a limit that a request counts against; of a network, the address. */
export type Subjects<Name extends RateLimitName> = Name extends RateLimitName
  ? Partial<Record<keyof Limits[Name]['max'], string>>
  : never;

/** The maximum of a subject in a window, with the values of the settings. */
export function rateLimit<Name extends RateLimitName>(
  config: Config,
  name: Name,
  subject: Subject & keyof Limits[Name]['max'],
): { max: number; windowMs: number } {
  const { windowMs } = LIMITS[name];
  const { max, factor = 1 }: Limit = LIMITS[name];
  const value = max[subject] as number | LimitSetting;
  return { max: typeof value === 'number' ? value : config[value] * factor, windowMs };
}

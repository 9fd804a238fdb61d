import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Person } from '#test/auth/person.ts';
import type { Mailbox } from '#test/support/mailbox.ts';
import type { Db } from '#db/db.ts';
import { openDb } from '#db/open.ts';
import { list, sql } from '#db/sql.ts';
import { LIMITS } from '#http/limits.ts';
import { secretHash } from '#platform/crypto/secrets.ts';
import { createApplication } from '#store/applications/applications.ts';
import { type Abuser, type Check, repeated, type Target } from './abuser.ts';

const CALLBACK = 'https://app.example/callback';
/** The addresses of an abuser with many machines. */
const REGISTERING = 120;
const AUTHORIZING = 10;
const MAIL_MS = 10_000;
/** The open requests of one application and `AUTHORIZING` addresses, and what honest users and replaced rows add. */
const MAX_GROWTH_MB = 150;

/** Abusers of the sign-in service. */
export const SIGN_IN_ABUSERS: readonly Abuser[] = [
  {
    name: 'client credentials',
    attack: async ({ url, ports }, stop) => {
      await using db = await openDb(url, { keyedHash: secretHash });
      const registered = { name: 'Flood', type: 'service', redirect_uris: [], access: 'none' } as const;
      const { application, secret } = await createApplication(db, Date.now(), { ...registered, redirect_uris: [] });
      const fields = { grant_type: 'client_credentials', client_id: application.client_id, client_secret: secret! };
      return await repeated(20, stop, () => {
        const body = new URLSearchParams(fields);
        return fetch(`http://127.0.0.1:${ports.auth}/oauth/token`, { method: 'POST', body, signal: stop });
      });
    },
  },
  {
    name: 'sign-in guessing',
    attack: ({ ports, account }, stop) => {
      const origin = `http://127.0.0.1:${ports.auth}`;
      let guess = 0;
      return repeated(20, stop, () => {
        const body = new URLSearchParams({ login: account.name, password: `guess ${guess++}` });
        const headers = { origin, 'x-forwarded-for': `203.0.113.${1 + (guess % 10)}` };
        return fetch(`${origin}/sign-in`, { method: 'POST', body, headers, redirect: 'manual', signal: stop });
      });
    },
  },
  {
    name: 'registration',
    attack: ({ ports, account }, stop) => {
      const origin = `http://127.0.0.1:${ports.auth}`;
      let count = 0;
      return repeated(20, stop, () => {
        const body = new URLSearchParams({
          name: 'Somebody',
          email: account.email,
          password: 'the password of an abuser',
        });
        const headers = { origin, 'x-forwarded-for': `203.0.113.${1 + (count++ % REGISTERING)}` };
        return fetch(`${origin}/register`, { method: 'POST', body, headers, redirect: 'manual', signal: stop });
      });
    },
    check: async (target, mailbox) => [mailsToVictim(target, mailbox), await newcomer(target, mailbox)],
  },
  {
    name: 'pushed authorization requests',
    maxGrowthMb: MAX_GROWTH_MB,
    attack: async ({ url, ports }, stop) => {
      await using db = await openDb(url, { keyedHash: secretHash });
      const registered = { name: 'Flood', type: 'service', access: 'approved' } as const;
      const { application, secret } = await createApplication(db, Date.now(), {
        ...registered,
        redirect_uris: [CALLBACK],
      });
      const client = { client_id: application.client_id, client_secret: secret! };
      const origin = `http://127.0.0.1:${ports.auth}/oauth`;
      let count = 0;
      return await repeated(20, stop, () => {
        if (count++ % 2 === 0) {
          const body = new URLSearchParams({ ...client, ...largestRequest() });
          return fetch(`${origin}/par`, { method: 'POST', body, signal: stop });
        }
        const headers = { 'x-forwarded-for': `203.0.113.${1 + ((count >> 1) % AUTHORIZING)}` };
        const request = { headers, redirect: 'manual', signal: stop } as const;
        if (count % 6 === 0) return fetch(`${origin}/logout?state=${randomText(2_000)}`, request);
        const query = new URLSearchParams({ client_id: application.client_id, ...largestRequest() });
        return fetch(`${origin}/authorize?${query}`, request);
      });
    },
    check: async ({ url }) => {
      await using db = await openDb(url, { keyedHash: secretHash });
      return [await openRequests(db)];
    },
  },
];

/** Random, so that the database cannot compress it. */
const randomText = (length: number): string => randomBytes(length).toString('base64url').slice(0, length);

/** An authorization request near the maximum size. */
const largestRequest = (): Record<string, string> => ({
  ...{ response_type: 'code', scope: 'openid', redirect_uri: CALLBACK, login_hint: randomText(3_500) },
  ...{ state: randomText(2_000), nonce: randomText(2_000) },
});

async function openRequests(db: Db): Promise<Check> {
  const kinds = ['PushedAuthorizationRequest', 'Interaction', 'Session'];
  const rows = await db.all<{ kind: string; count: number; bytes: number }>(sql`
    select kind, count(*) as count, sum(length(payload)) as bytes
    from tokens where kind in (${list(kinds)}) and account_id is null group by kind`);
  const figure = rows.map(({ kind, count, bytes }) => `${count} × ${kind} (${(bytes / 1e6).toFixed(0)} MB)`);
  const maximum = LIMITS.openPushedRequest.max.application + AUTHORIZING * LIMITS.openSignIn.max.network;
  const total = rows.reduce((sum, { count }) => sum + count, 0);
  return { name: `open requests (at most ${maximum})`, figure: figure.join(', '), meetsTarget: total <= maximum };
}

/** A run takes less than the ten minutes in which an address gets one mail of a kind. */
function mailsToVictim({ account }: Target, { unread }: Mailbox): Check {
  const { length } = unread.filter(({ to, subject }) => to === account.email && subject.startsWith('You already'));
  return { name: 'mails to the victim (1)', figure: String(length), meetsTarget: length === 1 };
}

/** Another person registers during the attack. */
async function newcomer({ ports }: Target, mailbox: Mailbox): Promise<Check> {
  const name = 'a newcomer registers and is signed in';
  const person = new Person(`http://127.0.0.1:${ports.auth}`, { 'x-forwarded-for': '198.51.100.3' });
  const [email, began] = ['newcomer@loadtest.example', performance.now()];
  await person.open('/register');
  await person.submit({ name: 'Newcomer', email, password: 'a password of a newcomer' }, '/register');
  const mail = await Promise.race([mailbox.next(email), pause(MAIL_MS)]);
  if (mail === undefined) return { name, figure: `${person.page.status}, no mail: ${person.text}`, meetsTarget: false };
  await person.open(mail.links[0]!);
  const { status, url } = await person.submit({}, '/register/confirm');
  const figure = `${status} ${new URL(url).pathname} after ${(performance.now() - began).toFixed(0)} ms`;
  return { name, figure, meetsTarget: url.endsWith('/account') };
}

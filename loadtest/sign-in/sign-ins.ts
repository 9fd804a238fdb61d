import { randomBytes } from 'node:crypto';
import { PATHS } from '#auth/security/paths.ts';
import { Person } from '#test/auth/person.ts';
import { SoftwareAuthenticator } from '#test/support/software-authenticator.ts';
import { CALLBACK } from '#test/auth/support.ts';
import type { Mailbox } from '#test/support/mailbox.ts';
import type { AppContext } from '#context/context.ts';
import { hashPassword } from '#platform/crypto/passwords.ts';
import { sql } from '#db/sql.ts';
import { totpCode, totpSecretText, totpStep } from '#platform/crypto/totp.ts';
import { createAccount } from '#store/accounts/accounts.ts';
import { createApplication } from '#store/applications/applications.ts';
import type { Issued } from './issued.ts';

/** A person with an account, a browser and an address. */
export interface User {
  id: string;
  name: string;
  email: string;
  password: string;
  browser: Person;
}

interface Client {
  client_id: string;
  client_secret: string;
}

/** Confirms by the password and a code, before a change of the factors. */
async function confirm({ browser, password }: User, code: string): Promise<void> {
  const form = browser.forms().find(({ fields }) => 'password' in fields);
  if (form === undefined) throw new Error(`no field for the code: ${browser.text}`);
  await browser.post(form.action, { ...form.fields, password, code });
}

type Fields = Record<string, string>;

/** The ways in which a person with an authenticator app and a passkey signs in. */
const SECOND_FACTORS = 6;

/** What a person keeps after adding the factors. */
interface UserFactors {
  /** Of the authenticator app. */
  secret: string;
  /** Unused recovery codes. */
  codes: readonly string[];
  device: SoftwareAuthenticator;
}

/** The ways to sign in, each whole: until the account page, or the tokens of the application. */
export class SignIns {
  readonly #context: AppContext;
  readonly #auth: string;
  readonly #mail: Mailbox;
  readonly #issued: Issued;
  #client: Client = { client_id: '', client_secret: '' };

  constructor(context: AppContext, mail: Mailbox, issued: Issued) {
    this.#context = context;
    this.#auth = context.config.AUTH_URL;
    this.#mail = mail;
    this.#issued = issued;
  }

  async prepare(): Promise<void> {
    const { db, clock } = this.#context;
    const wanted = { name: 'Load test', type: 'service' as const, redirect_uris: [CALLBACK] };
    const { application, secret } = await createApplication(db, clock.now(), { ...wanted, access: 'approved' });
    this.#issued.add('client secret', secret);
    this.#client = { client_id: application.client_id, client_secret: secret! };
  }

  readonly #all: readonly ((user: User) => Promise<void>)[] = [
    (user) => this.#password(user),
    (user) => this.#link(user),
    (user) => this.#console(user),
    (user) => this.#codeGrant(user),
    (user) => this.#pushedRequest(user),
    () => this.#clientCredentials(),
  ];

  /** The number of sign-ins of a person; the code grant is followed by a refresh. */
  get kinds(): number {
    return this.#all.length + 1 + SECOND_FACTORS;
  }

  /** Signs a new person in, in every way, and adds factors. */
  async all(number: number): Promise<void> {
    const user = await this.#newUser(number);
    for (const signIn of this.#all) await signIn(user);
    const factors = await this.#addFactors(user);
    await this.#atHome(user.browser, 'new factors', PATHS.newCodes);
    await this.#withFactors(user, factors);
  }

  async #newUser(number: number): Promise<User> {
    const name = `Person_${number}`;
    const user = {
      ...{ name, email: `${name}@loadtest.example`, password: `horse ${randomBytes(9).toString('hex')}` },
      browser: new Person(this.#auth, {
        'x-forwarded-for': `198.51.${Math.floor(number / 250)}.${(number % 250) + 1}`,
      }),
    };
    this.#issued.add('password', user.password);
    const password = await hashPassword(user.password);
    const facts = { name, email: user.email, password, email_verified: true };
    const account = await createAccount(this.#context.db, Date.now(), facts);
    if (typeof account === 'string') throw new Error(account);
    return { ...user, id: account.id };
  }

  async #password({ name, password, browser }: User): Promise<void> {
    await browser.open('/sign-in');
    await browser.submit({ login: name, password }, '/sign-in');
    await this.#atHome(browser, 'password');
  }

  async #link({ name, email, browser }: User): Promise<void> {
    await browser.open('/sign-in');
    await browser.post('/sign-in-link/send', { login: name, flow: '' });
    const link = await this.#mailed(email, /^http.*\/sign-in-link\?.*$/m);
    this.#issued.add('sign-in link', new URL(link).searchParams.get('token') ?? undefined);
    await browser.open(link);
    await browser.submit({}, '/sign-in-link');
    await this.#atHome(browser, 'sign-in link');
  }

  /** At the console, which has a separate session. */
  async #console({ name, password, browser }: User, second?: string): Promise<void> {
    const console = new Person(this.#context.config.SITE_URL);
    await browser.open((await console.open('/console/sign-in')).url);
    this.#issued.addFrom(console);
    await browser.submit({ login: name, password }, new URL(browser.page.url).pathname);
    await this.#answerSecond(browser, second);
    this.#issued.add('authorization code', new URL(browser.page.url).searchParams.get('code') ?? undefined);
    await console.open(browser.page.url);
    if (!console.page.url.endsWith('/console')) throw new Error(`console: ${console.page.status} ${console.text}`);
    this.#issued.addFrom(console);
    await browser.open('/account');
    await this.#atHome(browser, 'console');
  }

  /** After the last sign-in, sets up an authenticator app, adds a passkey, and confirms changes by the passkey and by a recovery code. */
  async #addFactors(user: User): Promise<UserFactors> {
    const { email, browser } = user;
    await browser.open(PATHS.setUpApp);
    await browser.submit({}, '/confirm');
    const code = await this.#mailed(email, /^[A-Z0-9]{4}-[A-Z0-9]{4}$/m);
    this.#issued.addCode('code of a mail', code);
    await confirm(user, code);
    const secret = /name="secret" value="(\w+)"/.exec(browser.page.html)?.[1] ?? '';
    this.#issued.add('key of the app', secret);
    this.#issued.add('key of the app as text', totpSecretText(secret).replaceAll(' ', ''));
    await browser.submit({ code: totpCode(secret, totpStep(Date.now())) });
    const codes = [...browser.page.html.matchAll(/<code>([A-Z2-7-]{19})<\/code>/g)].map(([, one]) => one!);
    for (const one of codes) this.#issued.addCode('recovery code', one);
    await browser.submit({}, '/download');
    const device = new SoftwareAuthenticator(this.#auth);
    await browser.open(PATHS.addPasskey);
    this.#issued.addFrom(browser);
    await browser.post(PATHS.addPasskey, { name: 'Phone', credential: device.answer(browser.page.html) });
    await this.#endProof(user);
    await browser.open(PATHS.newCodes);
    this.#issued.addFrom(browser);
    const [form] = browser.forms();
    await browser.post(form!.action, { credential: device.answer(browser.page.html) });
    if (!browser.page.url.endsWith(PATHS.newCodes)) throw new Error(`passkey: ${browser.text}`);
    await this.#endProof(user);
    await browser.open(PATHS.newCodes);
    await confirm(user, codes[0]!);
    return { secret, codes: codes.slice(1), device };
  }

  /** Signs in by the password and each second factor, also for the console and an application, and by the passkey alone. */
  async #withFactors(user: User, { secret, codes, device }: UserFactors): Promise<void> {
    const { browser } = user;
    // The app has proved itself by the code of this time step or of an earlier one.
    const code = totpCode(secret, totpStep(Date.now()) + 1);
    await this.#second(user, 'password and app', () => ({ code }));
    await this.#second(user, 'password and recovery code', () => ({ code: codes[0]! }));
    await this.#second(user, 'password and passkey', (page) => ({ credential: device.answer(page) }));
    await browser.open('/sign-in');
    this.#issued.addFrom(browser);
    await browser.post('/sign-in/passkey', { credential: device.answer(browser.page.html) });
    await this.#atHome(browser, 'passkey');
    await this.#console(user, codes[1]!);
    await this.#redeem(user, this.#request(), {}, codes[2]!);
  }

  async #second({ name, password, browser }: User, kind: string, answer: (page: string) => Fields): Promise<void> {
    await browser.open('/sign-in');
    await browser.submit({ login: name, password }, '/sign-in');
    if (!browser.page.url.endsWith('/sign-in/second')) throw new Error(`${kind}: no second step: ${browser.text}`);
    this.#issued.addFrom(browser);
    await browser.post('/sign-in/second', answer(browser.page.html));
    await this.#atHome(browser, kind);
  }

  /** Ends the proof that the person has given in the session, as five minutes do. */
  async #endProof({ id }: User): Promise<void> {
    await this.#context.db.run(sql`update account_sessions set proved = null where account_id = ${id}`);
  }

  /** What matches in the next mail that has it; mails about other things may come before. */
  async #mailed(email: string, wanted: RegExp): Promise<string> {
    for (;;) {
      const found = wanted.exec((await this.#mail.next(email)).text)?.[0];
      if (found !== undefined) return found;
    }
  }

  /** Notes what the browser got, and signs out. */
  async #atHome(browser: Person, kind: string, page = '/account'): Promise<void> {
    if (!browser.page.url.endsWith(page)) throw new Error(`${kind}: ${browser.page.status} ${browser.text}`);
    this.#issued.addFrom(browser);
    await browser.post('/account/sign-out', {});
    this.#issued.addFrom(browser);
  }

  /** A code grant, and a refresh of its token. */
  async #codeGrant(user: User): Promise<void> {
    const verifier = randomBytes(32).toString('base64url');
    this.#issued.add('code verifier', verifier);
    const challenge = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(verifier))).toString('base64url');
    const tokens = await this.#redeem(
      user,
      this.#request({ code_challenge: challenge, code_challenge_method: 'S256' }),
      {
        code_verifier: verifier,
      },
    );
    const { refresh_token = '' } = tokens;
    const refreshed = await this.#token({ grant_type: 'refresh_token', refresh_token });
    this.#addTokens(refreshed);
  }

  async #pushedRequest(user: User): Promise<void> {
    const response = await this.#post('/oauth/par', { ...this.#client, ...this.#request() });
    this.#issued.add('pushed request', response['request_uri']?.replace(/^.*:/, ''));
    await this.#redeem(user, { client_id: this.#client.client_id, request_uri: response['request_uri']! });
  }

  async #clientCredentials(): Promise<void> {
    this.#addTokens(await this.#token({ grant_type: 'client_credentials' }));
  }

  #request(more: Fields = {}): Fields {
    const { client_id } = this.#client;
    return {
      client_id,
      response_type: 'code',
      scope: 'openid profile email',
      prompt: 'login',
      redirect_uri: CALLBACK,
      ...more,
    };
  }

  /** The second step of a sign-in to an application. */
  async #answerSecond(browser: Person, code: string | undefined): Promise<void> {
    if (code === undefined) return;
    const path = new URL(browser.page.url).pathname;
    if (!path.endsWith('/second')) throw new Error(`no second step: ${browser.text}`);
    this.#issued.addFrom(browser);
    await browser.post(path, { code });
  }

  async #redeem(
    { name, password, browser }: User,
    request: Fields,
    more: Fields = {},
    second?: string,
  ): Promise<Fields> {
    await browser.open(`/oauth/authorize?${new URLSearchParams(request).toString()}`);
    this.#issued.addFrom(browser);
    await browser.submit({ login: name, password }, new URL(browser.page.url).pathname);
    await this.#answerSecond(browser, second);
    this.#issued.addFrom(browser);
    if (browser.page.html.includes('/consent"')) await browser.submit({}, '/consent');
    const code = new URL(browser.page.url).searchParams.get('code') ?? undefined;
    this.#issued.add('authorization code', code);
    this.#issued.addFrom(browser);
    const tokens = await this.#token({
      grant_type: 'authorization_code',
      code: code!,
      redirect_uri: CALLBACK,
      ...more,
    });
    this.#addTokens(tokens);
    return tokens;
  }

  async #token(fields: Fields): Promise<Fields> {
    return await this.#post('/oauth/token', { ...this.#client, ...fields });
  }

  async #post(path: string, fields: Fields): Promise<Fields> {
    const response = await fetch(this.#auth + path, { method: 'POST', body: new URLSearchParams(fields) });
    const body = (await response.json()) as Fields;
    if (!response.ok) throw new Error(`${path}: ${response.status} ${JSON.stringify(body)}`);
    return body;
  }

  #addTokens(tokens: Fields): void {
    for (const kind of ['access_token', 'refresh_token', 'id_token'])
      if (tokens[kind] !== undefined) this.#issued.add(kind, tokens[kind]);
  }
}

import { randomBytes } from 'node:crypto';
import { PATHS } from '#auth/security/paths.ts';
import type { AppContext } from '#context/context.ts';
import { sql } from '#db/sql.ts';
import { totpCode, totpStep } from '#platform/crypto/totp.ts';
import { setRole } from '#store/accounts/account-changes.ts';
import { accountByEmail } from '#store/accounts/accounts.ts';
import { newFactorCode } from '#store/accounts/factor-codes.ts';
import { startReset } from '#store/accounts/factor-resets.ts';
import { Person } from '#test/auth/person.ts';
import type { Mailbox } from '#test/support/mailbox.ts';
import type { Issued } from './issued.ts';

/** A person who gets every link that the service mails, and uses it. */
export class MailReader {
  readonly #context: AppContext;
  readonly #mail: Mailbox;
  readonly #issued: Issued;
  readonly #browser: Person;
  readonly #name: string;
  #email: string;
  #password = '';

  constructor(context: AppContext, mail: Mailbox, issued: Issued, number: number) {
    this.#context = context;
    this.#mail = mail;
    this.#issued = issued;
    this.#browser = new Person(context.config.AUTH_URL, { 'x-forwarded-for': `198.52.0.${number}` });
    this.#name = `Reader_${number}`;
    this.#email = `${this.#name}@loadtest.example`;
  }

  async all(): Promise<void> {
    const browser = this.#browser;
    await browser.open('/register');
    await browser.submit({ name: this.#name, email: this.#email, password: this.#newPassword() });
    await this.#openLink('registration link', '/register/confirm');
    await browser.submit();
    const { id } = (await accountByEmail(this.#context.db, this.#email))!;
    await this.#verify(id);
    await this.#changeAddress();
    await this.#reset();
    await this.#factors(id);
    this.#issued.addFrom(browser);
  }

  async #verify(id: string): Promise<void> {
    await this.#context.db.run(sql`update accounts set email_verified = 0 where id = ${id}`);
    await this.#browser.post('/account/verify', {});
    await this.#openLink('verification link', '/verify');
    await this.#browser.submit();
  }

  /** Changes the address, and undoes that, which leads to a link to choose a password. */
  async #changeAddress(): Promise<void> {
    const browser = this.#browser;
    await browser.open('/account/email');
    await browser.submit({ email: `new-${this.#email}`, current: this.#password });
    await this.#openLink('link to a new address', '/verify', `new-${this.#email}`);
    await browser.submit();
    await this.#openLink('undo link', '/email/undo');
    await browser.submit();
    this.#issued.add('reset link', new URL(browser.page.url).searchParams.get('token') ?? undefined);
    await browser.submit({ password: this.#newPassword() });
  }

  async #reset(): Promise<void> {
    const browser = this.#browser;
    await browser.open('/forgot');
    await browser.submit({ login: this.#name });
    await this.#openLink('reset link', '/reset');
    await browser.submit({ password: this.#newPassword() });
    await this.#signIn();
  }

  /** As a member of staff adds a factor by the code of a command, then, as a player, stops the reset of it by the mailed link. */
  async #factors(id: string): Promise<void> {
    const { db, clock } = this.#context;
    const browser = this.#browser;
    await setRole(db, id, 'moderator');
    const code = (await newFactorCode(db, clock.now(), id))!;
    this.#issued.addCode('code for staff', code);
    await browser.open(PATHS.setUpApp);
    const form = browser.forms().find(({ fields }) => 'password' in fields)!;
    await browser.post(form.action, { ...form.fields, password: this.#password, code });
    const secret = /name="secret" value="(\w+)"/.exec(browser.page.html)?.[1] ?? '';
    this.#issued.add('key of the app', secret);
    await browser.submit({ code: totpCode(secret, totpStep(Date.now())) });
    await setRole(db, id, 'user');
    const started = await startReset(db, clock.now(), id);
    if (!('secret' in started)) throw new Error(started.refused);
    this.#issued.add('link that keeps factors', started.secret);
    await browser.open(`/factors/keep?token=${started.secret}`);
    await browser.submit({}, '/factors/keep');
    if (browser.page.status !== 200) throw new Error(browser.text);
  }

  async #signIn(): Promise<void> {
    const browser = this.#browser;
    await browser.open('/sign-in');
    await browser.submit({ login: this.#name, password: this.#password }, '/sign-in');
    if (!browser.page.url.endsWith('/account')) throw new Error(browser.text);
    this.#issued.addFrom(browser);
  }

  #newPassword(): string {
    this.#password = `horse ${randomBytes(9).toString('hex')}`;
    this.#issued.add('password', this.#password);
    return this.#password;
  }

  /** Opens the link to a page in the next mail that has one. */
  async #openLink(kind: string, path: string, to = this.#email): Promise<void> {
    this.#issued.addFrom(this.#browser);
    for (;;) {
      const link = (await this.#mail.next(to)).links.find((one) => new URL(one).pathname === path);
      if (link === undefined) continue;
      this.#issued.add(kind, new URL(link).searchParams.get('token') ?? undefined);
      await this.#browser.open(link);
      return;
    }
  }
}

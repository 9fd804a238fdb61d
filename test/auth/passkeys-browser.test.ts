import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { CDPSession, Page } from 'playwright-core';
import { launchBrowser } from '#test/support/browser.ts';
import { createTestDatabase } from '#test/support/context.ts';
import { Mailbox } from '#test/support/mailbox.ts';
import { freePort, makeAccount, openTestAuth, PASSWORD, type RunningTestAuth } from './support.ts';

const FIVE_MINUTES = 5 * 60_000;

/** An authenticator of the browser, which verifies its user and answers only after `touch`. */
class Authenticator {
  readonly #cdp: CDPSession;
  readonly #id: string;

  constructor(cdp: CDPSession, id: string) {
    this.#cdp = cdp;
    this.#id = id;
  }

  static async plugIn(page: Page): Promise<Authenticator> {
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('WebAuthn.enable', { enableUI: false });
    const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
        ...{ isUserVerified: true, automaticPresenceSimulation: false },
      },
    });
    return new Authenticator(cdp, authenticatorId);
  }

  /** Lets the person be present, or not. */
  async present(enabled: boolean): Promise<void> {
    await this.#cdp.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId: this.#id, enabled });
  }

  /** The device is lost: its passkeys with it. */
  async lose(): Promise<void> {
    await this.#cdp.send('WebAuthn.clearCredentials', { authenticatorId: this.#id });
  }
}

/** A person at a browser with an authenticator. */
class Robin {
  readonly page: Page;
  readonly #auth: string;
  readonly #authenticator: Authenticator;
  readonly #mail: Mailbox;

  constructor(page: Page, auth: string, authenticator: Authenticator, mail: Mailbox) {
    this.page = page;
    this.#auth = auth;
    this.#authenticator = authenticator;
    this.#mail = mail;
  }

  async open(path: string): Promise<void> {
    await this.page.goto(this.#auth + path);
  }

  async click(name: string): Promise<void> {
    await this.page.getByRole('button', { name, exact: true }).click();
  }

  async follow(name: string | RegExp): Promise<void> {
    await this.page.getByRole('link', { name }).click();
  }

  async sees(text: string | RegExp): Promise<void> {
    await this.page.getByText(text).first().waitFor();
  }

  /** Clicks a button that asks for a passkey, and answers. */
  async usePasskey(button: string): Promise<void> {
    await this.#authenticator.present(true);
    await this.click(button);
  }

  /** @param hasOffer whether the browser offers passkeys in the field of the name, which would be answered before a click */
  async leave({ hasOffer = true } = {}): Promise<void> {
    await this.#authenticator.present(false);
    await this.open('/account');
    await this.click('Sign out');
    await this.page.waitForURL(/\/sign-in$/);
    await this.page.evaluate((offers) => sessionStorage.setItem('offers', offers), String(hasOffer));
    if (!hasOffer) await this.open('/sign-in');
  }

  /** Answers what the page offers in the field of the name, without the button. */
  async answerOffer(): Promise<void> {
    await this.#authenticator.present(true);
    await this.open('/sign-in');
  }

  async enterPassword(): Promise<void> {
    await this.open('/sign-in');
    await this.page.getByLabel('Name or e-mail address').fill('Robin');
    await this.page.getByLabel('Password').fill(PASSWORD);
    await this.click('Sign in');
  }

  async isHome(): Promise<void> {
    await this.page.waitForURL(`${this.#auth}/account`);
  }

  /** The step before changes, for an account without a factor. */
  async confirmByMail(): Promise<void> {
    await this.click('Send me a code');
    await this.page.getByLabel('Current password').fill(PASSWORD);
    const { text } = await this.#mail.next('robin@example.org');
    await this.page.getByLabel('Code from the mail').fill(/^[A-Z0-9-]{6,}$/m.exec(text)![0]);
    await this.click('Confirm');
  }

  async confirmByCode(label: string, code: string): Promise<void> {
    await this.page.getByLabel('Current password').fill(PASSWORD);
    await this.page.getByLabel(label).fill(code);
    await this.click('Confirm');
  }

  async addPasskey(name: string): Promise<void> {
    await this.page.getByLabel('Name of the passkey').fill(name);
    await this.usePasskey('Create the passkey');
  }

  async recoveryCodes(): Promise<string[]> {
    await this.sees('Your recovery codes');
    return await this.page.locator('.recovery-codes code').allTextContents();
  }

  loseDevice = (): Promise<void> => this.#authenticator.lose();
}

test('passkeys register, sign in, confirm and are replaced in a browser', async (t) => {
  const database = await createTestDatabase('sqlite');
  const mail = await Mailbox.open(t);
  const services = await openOnLocalhost(t, database.url, mail);
  t.after(() => database.drop());
  await makeAccount(services, 'Robin');
  await using browser = await launchBrowser();
  const page = await browser.newPage();
  const refused: string[] = [];
  page.on('console', (message) => refused.push(message.text()));
  page.on('pageerror', (error) => refused.push(error.message));
  await page.addInitScript(() => {
    if (sessionStorage.getItem('offers') === 'false')
      PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(false);
  });
  const robin = new Robin(page, services.auth, await Authenticator.plugIn(page), mail);

  let codes: string[] = [];

  await t.test('the first passkey leads to recovery codes', async () => {
    await robin.enterPassword();
    await robin.isHome();
    await robin.follow(/Change.*Passkeys and second factor/);
    await robin.follow('Add a passkey');
    await robin.confirmByMail();
    await robin.addPasskey('Phone');
    codes = await robin.recoveryCodes();
    assert.equal(new Set(codes).size, 10);
    const [download] = await Promise.all([page.waitForEvent('download'), robin.click('Download as text')]);
    assert.equal(new URL(download.url()).search, '', 'no URL holds the codes');
    const file = await readFile(await download.path(), 'utf8');
    assert.deepEqual(file.split('\r\n').slice(2, 12), codes);
    assert.match(file, /Recovery codes of the account Robin at Testnet/);
    await robin.follow('I have kept them');
    await robin.sees('10 of 10 are left.');
    await robin.sees(/^Phone/);
    await robin.follow('Set up an app');
    await robin.open('/account/security/passkeys/add');
    await robin.usePasskey('Create the passkey');
    await robin.sees('This device or security key has a passkey of your account already.');
  });

  await t.test('a passkey signs in without a name, by the button and by the list of the browser', async () => {
    await robin.leave({ hasOffer: false });
    await robin.usePasskey('Sign in with a passkey');
    await robin.isHome();
    await robin.leave();
    await robin.answerOffer();
    await robin.isHome();
  });

  await t.test('a passkey is the second factor after name and password', async () => {
    await robin.leave();
    await robin.enterPassword();
    await robin.sees('One more step, Robin.');
    await robin.usePasskey('Use a passkey');
    await robin.isHome();
  });

  await t.test('a passkey confirms changes', async () => {
    services.context.clock.advance(FIVE_MINUTES);
    await robin.open('/account/security');
    await robin.follow('Rename: Phone');
    await page.getByLabel('Name of the passkey').fill('Old phone');
    await robin.click('Save');
    await robin.sees('Saved.');
    await robin.follow('Make new codes');
    await robin.usePasskey('Use a passkey');
    await robin.sees('Make new recovery codes?');
    await robin.click('Make new codes');
    const renewed = await robin.recoveryCodes();
    assert.equal(new Set([...codes, ...renewed]).size, 20);
    codes = renewed;
  });

  await t.test('the passkey of a lost device is replaced with a recovery code', async () => {
    services.context.clock.advance(FIVE_MINUTES);
    await robin.loseDevice();
    await robin.open('/account/security/passkeys/add');
    await robin.confirmByCode('Recovery code', codes[0]!.toLowerCase());
    await robin.addPasskey('New phone');
    await robin.sees('The passkey is added, and you are signed out everywhere else.');
    await robin.sees('9 of 10 are left.');
    await robin.follow('Remove: Old phone');
    await robin.click('Remove');
    await robin.sees('The passkey is removed, and you are signed out everywhere else.');
    services.context.clock.advance(FIVE_MINUTES);
    await robin.follow('Remove: New phone');
    await robin.usePasskey('Use a passkey');
    await robin.sees('This is your last factor.');
    await robin.click('Remove');
    await robin.sees('You get ten with your first passkey or authenticator app.');
    await robin.leave();
    await robin.enterPassword();
    await robin.isHome();
    assert.deepEqual(refused, [], 'the CSP blocked nothing that the pages use');
  });
});

async function openOnLocalhost(
  t: Parameters<typeof openTestAuth>[0],
  url: string,
  mail: Mailbox,
): Promise<RunningTestAuth> {
  // Passkeys belong to a domain, and an address is none.
  return await openTestAuth(t, url, { AUTH_URL: `http://localhost:${await freePort()}`, SMTP_URL: mail.url });
}

import { newTotpSecret, totpCode, totpStep } from '#platform/crypto/totp.ts';
import { openSecretKey } from '#platform/crypto/secret-key.ts';
import { renewRecoveryCodes } from '#store/accounts/recovery-codes.ts';
import { setTotp } from '#store/accounts/totp.ts';
import type { Mailbox } from '#test/support/mailbox.ts';
import type { Person } from './person.ts';
import { PASSWORD, type TestAuth } from './support.ts';
import type { World } from './world.ts';

/** An account with an authenticator app. @returns the present code, and the recovery codes */
export async function protect(
  { context }: TestAuth,
  accountId: string,
): Promise<{ code: () => string; recovery: string[] }> {
  const secret = newTotpSecret();
  const { db, clock, config } = context;
  const recovery = await db.transaction(async (tx) => {
    await setTotp(tx, clock.now(), openSecretKey(config), accountId, { secret, step: 0 });
    return await renewRecoveryCodes(tx, clock.now(), accountId);
  });
  return { code: () => totpCode(secret, totpStep(clock.now())), recovery };
}

export const wrongCode = (right: string): string => (right === '000000' ? '000001' : '000000');

/** Confirms by the password and the code of a mail, as an account without a factor does. */
export async function confirmByMail(
  { mail }: World,
  person: Person,
  to = 'robin@example.org',
  password = PASSWORD,
): Promise<void> {
  await person.submit({}, '/confirm');
  await confirmByCode(person, await nextCode(mail, to), password);
}

/** The code that confirms the first factor, in the next mail with one. */
export async function nextCode(mail: Mailbox, to: string): Promise<string> {
  for (;;) {
    const [code] = /^[A-Z0-9]{4}-[A-Z0-9]{4}$/m.exec((await mail.next(to)).text) ?? [];
    if (code !== undefined) return code;
  }
}

/** The second of two forms of one action, as the page about confirmation has. */
export async function confirmByCode(person: Person, code: string, password = PASSWORD): Promise<void> {
  const form = person.forms().find(({ fields }) => 'password' in fields)!;
  await person.post(form.action, { ...form.fields, password, code });
}

/** The secret of the authenticator app that the page sets up. */
export const secretOn = (person: Person): string => /name="secret" value="([0-9a-f]{40})"/.exec(person.page.html)![1]!;

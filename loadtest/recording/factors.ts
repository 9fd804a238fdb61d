import { totpCode, totpStep } from '#platform/crypto/totp.ts';
import { sql } from '#db/sql.ts';
import { runJobsOnce } from '#server/jobs.ts';
import { setRole } from '#store/accounts/account-changes.ts';
import { nextCode, secretOn, wrongCode } from '#test/auth/factors.ts';
import { everyFactorPage } from '#test/auth/pages.ts';
import { Person } from '#test/auth/person.ts';
import { CALLBACK, freePort, makeAccount, makeApplication, PASSWORD } from '#test/auth/support.ts';
import { enter, makeOperator } from '#test/console/support.ts';
import { SoftwareAuthenticator } from '#test/support/software-authenticator.ts';
import { RecordedBrowser } from './console/recorded-browser.ts';
import { recordDump } from './dump.ts';
import { Flow, linkOf, signedIn } from './flow.ts';
import { recordMails } from './mails.ts';
import { LANGUAGES, recordPage } from './pages.ts';
import type { Recording } from './recording.ts';
import { openWorld, type World } from './world.ts';

const DAY_MS = 86_400_000;
/** Each code of an authenticator app counts once. */
const STEP_MS = 30_000;
/** How long a proof counts, and more. */
const PROOF_MS = 6 * 60_000;
const [SECURITY, APP, CODES] = ['/account/security', '/account/security/app', '/account/security/codes'];
const PASSKEYS = '/account/security/passkeys';
const ROBIN = 'robin@example.org';
const RECOVERY_CODE = /[A-Z2-7]{4}(?:-[A-Z2-7]{4}){3}/g;

/** Everything about passkeys and second factors. Passkeys need a domain in the place of the address of the other worlds. */
export async function recordFactors(recording: Recording): Promise<void> {
  const auth = `http://localhost:${await freePort()}`;
  await using world = await openWorld('factors', 'sqlite', recording, { AUTH_URL: auth });
  await recordFactorPages(world);
  const { id } = await makeAccount(world, 'Robin');
  const owner = new Owner(world, new Flow(world));
  await addFactorsOfStaff(world, owner);
  await useApp(owner);
  await usePasskey(world, owner);
  await resetFactors(world, owner, id);
  await recordMails(world);
  await recordDump(recording, 'factors/at-the-end', world.context.db);
}

async function recordFactorPages(world: World): Promise<void> {
  const { context } = world;
  const { pages, proved, recoveryCode } = await everyFactorPage(world);
  for (const language of LANGUAGES)
    for (const all of [pages, proved]) {
      world.advance(1_000);
      const person = new Person(world.auth, { 'accept-language': language });
      await person.open('/sign-in');
      await person.submit({ login: 'Wren', password: PASSWORD });
      await recordPage(world, `sign-in/${language}/second`, await person.open('/sign-in/second'));
      await submitCode(person, await recoveryCode());
      await context.db.run(sql`update account_sessions set proved = ${all === proved ? context.clock.now() : null}`);
      for (const { name, path, open } of all) {
        await person.open(path);
        if (open !== undefined) await person.submit({}, path);
        await recordPage(world, `sign-in/${language}/${name}`, person.page);
      }
    }
}

/** The form for a code is the second one, if there is one for a passkey. */
async function submitCode(person: Person, code: string): Promise<void> {
  const form = person.forms().find(({ fields }) => 'code' in fields)!;
  await person.post(form.action, { ...form.fields, code });
}

/** The owner of an account, with the authenticator app and recovery codes that the pages have shown. */
class Owner {
  readonly world: World;
  readonly flow: Flow;
  readonly device: SoftwareAuthenticator;
  secret = '';
  recovery: string[] = [];

  constructor(world: World, flow: Flow) {
    this.world = world;
    this.flow = flow;
    this.device = new SoftwareAuthenticator(world.auth);
  }

  /** The next code of the app. */
  code(): string {
    this.world.advance(STEP_MS);
    return totpCode(this.secret, totpStep(this.world.context.clock.now()));
  }

  /** Fills in the form for a password and a code, the second of two with one action. */
  async confirm(title: string, person: Person, code: string): Promise<void> {
    const form = person.forms().find(({ fields }) => 'password' in fields);
    const given = Object.entries({ ...form?.fields, password: PASSWORD, code });
    const fields = Object.fromEntries(given.filter(([, value]) => value !== undefined)) as Record<string, string>;
    await this.flow.post(title, person, form?.action ?? `${SECURITY}/confirm`, fields);
  }

  /** Answers the first form for a passkey of the present page, as the script of the page does. */
  async answer(title: string, person: Person, fields: Record<string, string> = {}): Promise<void> {
    const action = /<form[^>]*action="([^"]*)"[^>]*data-passkey/.exec(person.page.html)?.[1] ?? '/sign-in';
    const credential = this.device.answer(person.page.html);
    await this.flow.submit(title, person, { ...fields, credential }, action.split('?')[0]);
  }

  readCodes(person: Person): void {
    this.recovery = person.page.html.match(RECOVERY_CODE)!.slice(0, 10);
  }
}

/** Staff confirms the first factor by the code of a command. */
async function addFactorsOfStaff(world: World, owner: Owner): Promise<void> {
  const molly = await makeAccount(world, 'Molly');
  await setRole(world.context.db, molly.id, 'moderator');
  const person = await signedIn(owner.flow, 'Molly');
  await owner.flow.open('app of staff', person, APP);
  const { out } = await world.command('account', 'factor-code', '--account', 'Molly', '--yes', '--json');
  await owner.confirm('a wrong code of a command', person, 'ABCD-EFGH-ABCD-EFGH');
  await owner.confirm('the code of the command', person, (JSON.parse(out) as { code: string }).code);
}

async function useApp(owner: Owner): Promise<void> {
  const { flow, world } = owner;
  const elsewhere = await signedIn(flow, 'Robin');
  const person = await signedIn(flow, 'Robin');
  await flow.open('security', person, SECURITY);
  await flow.open('app asks for a proof', person, APP);
  await flow.submit('a code by mail', person, {}, '/confirm');
  await owner.confirm('a wrong code of a mail', person, 'ABCD-EFGH');
  await owner.confirm('the code of the mail', person, await nextCode(world.mail, ROBIN));
  owner.secret = secretOn(person);
  await flow.submit('app refused', person, { code: wrongCode(owner.code()) }, APP);
  await flow.submit('app added', person, { code: owner.code() }, APP);
  owner.readCodes(person);
  await flow.submit('codes downloaded', person, {}, '/codes/download');
  await flow.open('signed out elsewhere', elsewhere, '/account');
  await flow.open('account with an app', person, '/account');
  await flow.open('export with an app', person, '/account/export');
  await flow.open('new codes', person, CODES);
  await flow.submit('new codes made', person, {}, CODES);
  owner.readCodes(person);
  await flow.post('codes downloaded without codes', person, `${CODES}/download`, { codes: 'x' });

  const second = await signedIn(flow, 'Robin');
  await flow.open('second step', second, '/sign-in/second');
  await flow.submit('second step with a wrong code', second, { code: wrongCode(owner.code()) }, '/second');
  await flow.submit('second step without a code', second, { code: '' }, '/second');
  await flow.submit('second step', second, { code: owner.code() }, '/second');
  const lost = await signedIn(flow, 'Robin');
  await flow.submit('second step by a recovery code', lost, { code: owner.recovery[0]! }, '/second');
  const again = await signedIn(flow, 'Robin');
  await flow.submit('second step by a used code', again, { code: owner.recovery[0]! }, '/second');
  await flow.open('second step without a password', flow.browser(), '/sign-in/second');
}

async function usePasskey(world: World, owner: Owner): Promise<void> {
  const { flow, device } = owner;
  const person = await signedIn(flow, 'Robin');
  await flow.submit('second step', person, { code: owner.code() }, '/second');
  world.advance(PROOF_MS);
  await flow.open('passkey asks for a proof', person, `${PASSKEYS}/add`);
  await owner.confirm('the code of the app', person, owner.code());
  await flow.post('passkey refused', person, `${PASSKEYS}/add`, { name: '', credential: '{}' });
  await flow.open('passkey', person, `${PASSKEYS}/add`);
  await owner.answer('passkey added', person, { name: 'Phone' });
  await flow.open('security with a passkey', person, SECURITY);
  const id = /passkeys\/rename\?id=([^"&]+)/.exec(person.page.html)?.[1] ?? 'nothing';
  await flow.open('passkey to rename', person, `${PASSKEYS}/rename?id=${id}`);
  await flow.submit('passkey not renamed', person, { name: '' }, `${PASSKEYS}/rename`);
  await flow.submit('passkey renamed', person, { name: 'Pocket' }, `${PASSKEYS}/rename`);

  const alone = flow.browser();
  await flow.open('sign-in with a passkey', alone, '/sign-in');
  await flow.submit('passkey of nobody', alone, { credential: '{}' }, '/passkey');
  await alone.open('/sign-in');
  await owner.answer('signed in by a passkey', alone);
  const second = await signedIn(flow, 'Robin');
  await owner.answer('second step by a passkey', second);
  const { application } = await makeApplication(world, 'web', [CALLBACK], { name: 'Ferry' });
  const { client_id } = application;
  const query = { client_id, redirect_uri: CALLBACK, response_type: 'code', scope: 'openid' };
  const forApplication = flow.browser();
  await flow.open('application', forApplication, `/oauth/authorize?${new URLSearchParams(query).toString()}`);
  await owner.answer('application by a passkey', forApplication);
  await flow.submit('consent', forApplication, {}, '/consent');
  device.verifiesUser = false;
  const unverified = flow.browser();
  await unverified.open('/sign-in');
  await owner.answer('passkey without a fingerprint', unverified);
  device.verifiesUser = true;

  world.advance(PROOF_MS);
  await flow.open('removal asks for a proof', person, `${PASSKEYS}/remove?id=${id}`);
  await owner.answer('confirmed by the passkey', person);
  await flow.submit('passkey removed', person, {}, `${PASSKEYS}/remove`);
  await flow.open('unknown passkey', person, `${PASSKEYS}/remove?id=${id}`);
}

/** Resets of an operator: one that the owner stops by mail, one stopped on the page, one that takes effect. */
async function resetFactors(world: World, owner: Owner, id: string): Promise<void> {
  const { flow } = owner;
  await makeOperator(world, 'Olga');
  const operator = new RecordedBrowser(world, 'Olga', (await enter(world, 'Olga')).console);
  const account = `/console/operator/accounts/${id}`;
  const reset = (title: string) => operator.act(`factors reset ${title}`, `${account}/help`, `${account}/factors`);
  await reset('once');
  await reset('twice');
  const link = await linkOf(world, ROBIN, '/factors/keep');
  const visitor = flow.browser();
  await flow.open('factors to keep', visitor, link);
  await flow.submit('factors kept', visitor, {}, '/factors/keep');
  await flow.open('factors to keep again', visitor, link);
  const person = await signedIn(flow, 'Robin');
  await flow.submit('second step', person, { code: owner.code() }, '/second');
  await reset('again');
  await flow.open('account with a reset', person, '/account');
  await flow.submit('factors kept on the page', person, {}, '/account/factors/keep');

  world.advance(PROOF_MS);
  await flow.open('app to remove', person, `${APP}/remove`);
  await owner.confirm('the code of the app', person, owner.code());
  await flow.submit('app removed', person, {}, `${APP}/remove`);
  await flow.open('app again', person, APP);
  owner.secret = secretOn(person);
  await flow.submit('app added', person, { code: owner.code() }, APP);
  await reset('for good');
  world.advance(DAY_MS);
  await runJobsOnce(world.context);
  await flow.open('signed out by the reset', person, '/account');
  await flow.open('account without factors', await signedIn(flow, 'Robin'), SECURITY);
  await flow.open('link after the reset', visitor, await linkOf(world, ROBIN, '/factors/keep'));
}

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { deleteAccount } from '#store/accounts/account-deletions.ts';
import { setLogo } from '#store/applications/logos.ts';
import { firstPartyClient } from '#store/applications/first-party-clients.ts';
import { addOwner } from '#store/applications/owners.ts';
import { onEachDatabase } from '#test/support/context.ts';
import { type LoadedPage, Person } from './person.ts';
import { CALLBACK, makeAccount, makeApplication, openTestAuth, PASSWORD } from './support.ts';

const PNG = Buffer.from('89504e470d0a1a0a0000', 'hex');

onEachDatabase('the consent page names the owners of the application and shows its logo', async (t, url) => {
  const services = await openTestAuth(t, url);
  const { db, clock } = services.context;
  const { application } = await makeApplication(services, 'web');
  const [ann, bob] = [await makeAccount(services, 'Ann'), await makeAccount(services, 'Bob')];
  await makeAccount(services, 'Robin');
  const query = { client_id: application.client_id, response_type: 'code', scope: 'openid', redirect_uri: CALLBACK };
  const openConsent = async (language: string): Promise<Person> => {
    const person = new Person(services.auth, { 'accept-language': language });
    await person.open(`/oauth/authorize?${new URLSearchParams(query).toString()}`);
    await person.submit({ login: 'Robin', password: PASSWORD });
    return person;
  };

  const unowned = await openConsent('en');
  assert.match(unowned.text, /No account owns it\. The operators of Testnet manage it\./);
  assert.doesNotMatch(unowned.page.html, /\/logos\//, 'without a logo there is no image');
  assert.match((await openConsent('ja')).text, /Testnet の運営者が管理/);
  assert.equal((await unowned.open(`/logos/${application.client_id}`)).status, 404);
  assert.equal((await unowned.open('/logos/x%00x')).status, 404);

  await addOwner(db, clock.now(), application.key, ann.id);
  assert.match((await openConsent('en')).text, /Its owner is Ann\./);
  await addOwner(db, clock.now() + 1, application.key, bob.id);
  assert.match((await openConsent('en')).text, /Its owners are Ann and Bob\./);
  assert.match((await openConsent('ja')).text, /所有者：Ann、Bob/);
  await deleteAccount(db, clock.now(), ann.id);
  assert.match((await openConsent('en')).text, /Its owner is Bob\./);

  await setLogo(db, application.key, 'image/png', PNG);
  const person = await openConsent('en');
  const { html, headers } = person.page;
  assert.match(headers.get('content-security-policy')!, /img-src 'self' data:;/, 'no other origin is allowed');
  const src = /<img class="logo" src="([^"]+)" alt=""/.exec(html)![1]!;
  const logo = await fetch(services.auth + src);
  assert.deepEqual([logo.status, logo.headers.get('content-type')], [200, 'image/png']);
  assert.match(logo.headers.get('content-security-policy')!, /^default-src 'none'; sandbox/);
  assert.equal(logo.headers.get('x-content-type-options'), 'nosniff');
  assert.deepEqual(Buffer.from(await logo.arrayBuffer()), PNG);
  const again = await fetch(services.auth + src, { headers: { 'if-none-match': logo.headers.get('etag')! } });
  assert.equal(again.status, 304);
});

/** A click that still has the cookie of the session before the first click signs in again. */
const isFinishedOrBegins = ({ status, html }: LoadedPage): boolean =>
  status === 410 || (status === 200 && html.includes('name="login"'));

onEachDatabase(
  'of several clicks on Allow one succeeds, and the others say that the sign-in is finished, or begin it again',
  async (t, url) => {
    const services = await openTestAuth(t, url);
    await makeAccount(services, 'Steve');
    const { application } = await makeApplication(services, 'web');
    const person = new Person(services.auth);
    const query = { client_id: application.client_id, response_type: 'code', scope: 'openid', redirect_uri: CALLBACK };
    await person.open(`/oauth/authorize?${new URLSearchParams(query).toString()}`);
    await person.submit({ login: 'Steve', password: PASSWORD });
    const { action } = person.forms().find((form) => form.action.endsWith('/consent'))!;
    const clicks = await Promise.all(Array.from({ length: 4 }, () => person.post(action, {})));
    assert.ok(
      clicks.some(({ url: to }) => to.startsWith(CALLBACK)),
      'one is sent back to the application',
    );
    const others = clicks.filter(({ url: to }) => !to.startsWith(CALLBACK));
    assert.deepEqual(
      others.filter((page) => !isFinishedOrBegins(page)),
      [],
    );
  },
);

onEachDatabase(
  "the sign-in names another's application, and does not name the console of the network",
  async (t, url) => {
    const services = await openTestAuth(t, url);
    const { db, clock } = services.context;
    const registration = { id: 'console', name: 'Testnet console', redirect_uris: [CALLBACK] };
    const own = await firstPartyClient(db, clock.now(), randomBytes(32), registration);
    const { application } = await makeApplication(services, 'web', undefined, { name: 'Harbour Board' });
    const signIn = async (client_id: string): Promise<string> => {
      const pkce = { code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', code_challenge_method: 'S256' };
      const query = { client_id, response_type: 'code', scope: 'openid', redirect_uri: CALLBACK, ...pkce };
      const person = new Person(services.auth, { 'accept-language': 'en' });
      await person.open(`/oauth/authorize?${new URLSearchParams(query).toString()}`);
      return person.text;
    };
    assert.match(await signIn(application.client_id), /Sign in to continue to Harbour Board/);
    const text = await signIn(own.client_id);
    assert.match(text, /Name or e-mail address/);
    assert.doesNotMatch(text, /to continue to/);
  },
);

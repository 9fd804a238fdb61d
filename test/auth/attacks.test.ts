import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Db } from '#db/db.ts';
import type { Sql } from '#db/sql.ts';
import { accountById } from '#store/accounts/accounts.ts';
import { createTestDatabase, onEachDatabase } from '#test/support/context.ts';
import { Person } from './person.ts';
import { CALLBACK, makeAccount, makeApplication, PASSWORD } from './support.ts';
import { openWorld, openWorldOnSqlite, signIn, type World } from './world.ts';

const NEW_PASSWORD = 'staple tower lantern';

/** The first link in the next mail whose subject matches; skips other mails. */
async function linkTo({ mail }: World, to: string, subject: RegExp): Promise<string> {
  for (;;) {
    const received = await mail.next(to);
    if (subject.test(received.subject)) return received.links[0]!;
  }
}

async function recover(world: World, login: string, to: string): Promise<void> {
  const owner = new Person(world.services.auth);
  await owner.open('/forgot');
  await owner.submit({ login });
  await owner.open(await linkTo(world, to, /Choose a new password/));
  await owner.submit({ password: NEW_PASSWORD });
  assert.match(owner.text, /new password/i);
}

/** Holds the reads of accounts, and lists the reads and transactions that began. */
function holdAccounts(db: Db): { started: string[]; release: () => void } {
  const started: string[] = [];
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  for (const name of ['all', 'get', 'tuples', 'tuple', 'run', 'runAll', 'transaction'] as const) {
    const original = db[name].bind(db) as (...args: unknown[]) => Promise<unknown>;
    const held = async (...args: unknown[]): Promise<unknown> => {
      const text = (args[0] as Partial<Sql>).strings?.join('?') ?? name;
      started.push(text);
      if (/\baccounts\b/.test(text)) await released;
      return await original(...args);
    };
    Object.assign(db, { [name]: held });
  }
  return { started, release };
}

onEachDatabase('/forgot answers before any work that depends on the account', async (t, url) => {
  const world = await openWorld(t, url);
  const { services, mail } = world;
  const account = await makeAccount(services, 'Robin');
  const { started, release } = holdAccounts(services.context.db);
  const asked: { page: string; started: string[] }[] = [];
  for (const login of ['Robin', account.email, 'Nobody', 'nobody@example.org']) {
    const person = new Person(services.auth, { 'user-agent': login });
    await person.open('/forgot');
    started.length = 0;
    await person.submit({ login });
    asked.push({ page: person.page.html, started: started.filter((text) => !/\baccounts\b/.test(text)) });
  }
  assert.match(asked[0]!.page, /If this account exists, we are sending a link/);
  for (const other of asked.slice(1)) assert.deepEqual(other, asked[0], 'the same page after the same statements');
  assert.equal(mail.count, 0);
  release();
  assert.match((await mail.next(account.email)).subject, /Choose a new password/);
});

onEachDatabase('after a recovery, a change of address requested with the old password is void', async (t, url) => {
  const world = await openWorld(t, url);
  const account = await makeAccount(world.services, 'Robin');
  const intruder = await signIn(world, 'Robin');
  await intruder.open('/account/email');
  await intruder.submit({ email: 'intruder@example.net', current: PASSWORD });
  const link = await linkTo(world, 'intruder@example.net', /./);
  await recover(world, 'Robin', account.email);
  assert.equal((await intruder.open(link)).status, 410);
  await intruder.post('/verify', { token: new URL(link).searchParams.get('token')! });
  assert.equal(intruder.page.status, 410);
  assert.equal((await accountById(world.services.context.db, account.id))!.email, account.email);
});

onEachDatabase('a change of address voids the reset links sent to the old one', async (t, url) => {
  const world = await openWorld(t, url);
  const account = await makeAccount(world.services, 'Robin');
  const owner = await signIn(world, 'Robin');
  const intruder = new Person(world.services.auth);
  await intruder.open('/forgot');
  await intruder.submit({ login: 'Robin' });
  const old = await linkTo(world, account.email, /Choose a new password/);
  await owner.open('/account/email');
  await owner.submit({ email: 'robin@example.net', current: PASSWORD });
  await owner.open(await linkTo(world, 'robin@example.net', /./));
  await owner.submit();
  assert.equal((await accountById(world.services.context.db, account.id))!.email, 'robin@example.net');
  assert.equal((await intruder.open(old)).status, 410);
});

onEachDatabase('a sign-in begun with the old password cannot be finished after a recovery', async (t, url) => {
  const world = await openWorld(t, url);
  const account = await makeAccount(world.services, 'Robin');
  const { application } = await makeApplication(world.services, 'web');
  const intruder = new Person(world.services.auth);
  const query = new URLSearchParams({ client_id: application.client_id, response_type: 'code', scope: 'openid' });
  await intruder.open(`/oauth/authorize?${query.toString()}&redirect_uri=${encodeURIComponent(CALLBACK)}`);
  const last = await submitPasswordOnly(intruder, world.services.auth);
  await recover(world, 'Robin', account.email);
  await intruder.open(last);
  assert.doesNotMatch(intruder.page.html, /\/consent"/);
  assert.match((await intruder.open('/account')).url, /\/sign-in$/);
});

test('the database contains no token of a mail link in plain text', async (t) => {
  const database = await createTestDatabase('sqlite');
  const world = await openWorld(t, database.url);
  t.after(() => database.drop());
  await makeAccount(world.services, 'Robin');
  const person = await signIn(world, 'Robin');
  await person.open('/account/email');
  await person.submit({ email: 'other@example.net', current: PASSWORD });
  await person.post('/forgot', { login: 'Robin', flow: '' });
  await person.post('/register', { name: 'Wren', email: 'wren@example.org', password: NEW_PASSWORD, flow: '' });
  const links = [
    await linkTo(world, 'other@example.net', /./),
    await linkTo(world, 'robin@example.org', /Choose a new password/),
    await linkTo(world, 'wren@example.org', /./),
  ];
  const tokens = links.map((link) => new URL(link).searchParams.get('token')!);
  const stored = ['', '-wal'].map((end) => readFileSync(`${database.url}${end}`).toString('latin1')).join('');
  assert.ok(stored.includes('other@example.net'), 'the data of the links is stored');
  for (const secret of [...tokens, NEW_PASSWORD, person.cookie('scorehall_registering')!]) {
    assert.ok(secret.length >= 16);
    assert.ok(!stored.includes(secret));
  }
});

test('`response_mode=form_post` still works after opening the sign-out page', async (t) => {
  const { services } = await openWorldOnSqlite(t);
  await makeAccount(services, 'Robin');
  const { application } = await makeApplication(services, 'web');
  const person = new Person(services.auth);
  await person.open('/sign-in');
  await person.submit({ login: 'Robin', password: PASSWORD });
  await person.open('/oauth/logout');
  const query = { client_id: application.client_id, response_type: 'code', redirect_uri: CALLBACK, scope: 'openid' };
  const request = `/oauth/authorize?${new URLSearchParams({ ...query, response_mode: 'form_post', prompt: 'none' }).toString()}`;
  await person.open(request);
  assert.match(person.page.html, /action="https:\/\/app\.example\/callback"/);
});

test('signing in with another account than the browser’s session signs out first, then continues', async (t) => {
  const { services } = await openWorldOnSqlite(t);
  for (const name of ['Robin', 'Wren']) await makeAccount(services, name);
  const { application } = await makeApplication(services, 'web');
  const person = new Person(services.auth);
  const query = { client_id: application.client_id, response_type: 'code', redirect_uri: CALLBACK, scope: 'openid' };
  await person.open(`/oauth/authorize?${new URLSearchParams(query).toString()}`);
  const { action, fields } = person.forms().find((form) => 'password' in form.fields)!;
  await person.open('/sign-in');
  await person.submit({ login: 'Robin', password: PASSWORD });
  await person.post(action, { ...fields, login: 'Wren', password: PASSWORD });
  assert.match(person.text, /In the meantime, somebody signed in with another account/);
  await person.submit();
  assert.match(person.text, /Wren/);
  await person.submit({}, '/consent');
  assert.match(person.page.url, /^https:\/\/app\.example\/callback\?code=/);
});

test('ending sessions and applications is throttled, so that nobody can fill the audit log', async (t) => {
  const world = await openWorldOnSqlite(t);
  await makeAccount(world.services, 'Robin');
  const person = await signIn(world, 'Robin');
  const statuses: number[] = [];
  for (let count = 0; count < 101; count++) {
    await person.post('/account/applications/end', { client_id: `none-${count}` });
    statuses.push(person.page.status);
  }
  assert.deepEqual([statuses[99], statuses[100]], [200, 429]);
  assert.match(person.page.html, /<h1>/);
  await person.post('/account/sessions/end', {});
  assert.equal(person.page.status, 429);
  await person.post('/account/sign-out', {});
  assert.match(person.page.url, /\/sign-in$/);
});

/** Submits name and password without following the redirect. @returns its target */
async function submitPasswordOnly(person: Person, auth: string): Promise<string> {
  const { action } = person.forms().find(({ fields }) => 'password' in fields)!;
  const cookies = ['scorehall_step', 'scorehall_resume', 'scorehall_session'];
  const cookie = cookies.map((name) => `${name}=${person.cookie(name) ?? ''}`).join('; ');
  const response = await fetch(new URL(action, auth), {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: auth, cookie },
    body: new URLSearchParams({ login: 'Robin', password: PASSWORD }),
  });
  assert.equal(response.status, 303, await response.text());
  return response.headers.get('location')!;
}

test('60 wrong passwords from one address in 15 minutes are not checked any more, and others are not affected', async (t) => {
  const world = await openWorldOnSqlite(t, { TRUSTED_PROXIES: '127.0.0.1' });
  // Checking the passwords of these accounts is cheap, unlike that of an unknown one.
  const names = ['Robin', ...Array.from({ length: 60 }, (_, count) => `Somebody${count}`)];
  for (const name of names) await makeAccount(world.services, name);
  const guesser = new Person(world.services.auth, { 'x-forwarded-for': '203.0.113.5' });
  const elsewhere = new Person(world.services.auth, { 'x-forwarded-for': '198.51.100.7' });
  const attempt = async (login: string): Promise<number> =>
    (await guesser.post('/sign-in', { login, password: 'wrong wrong wrong' })).status;
  const statuses = await Promise.all([...names.slice(1), 'Nobody'].map(attempt));
  assert.deepEqual(
    [422, 429].map((status) => statuses.filter((each) => each === status).length),
    [60, 1],
  );
  assert.match((await signIn(world, 'Robin', PASSWORD, elsewhere)).page.url, /\/account$/);
});

test('spaces, case and Unicode form of an e-mail address do not evade the limit of its mails', async (t) => {
  const { services, mail } = await openWorldOnSqlite(t);
  const person = new Person(services.auth);
  const spellings = ['ü@example.org', ' ü@example.org', 'ü@example.org ', 'Ü@example.org', 'u\u0308@example.org'];
  for (const [index, email] of spellings.entries()) {
    await person.post('/register', { name: `Robin${index}`, email, password: PASSWORD, flow: '' });
    assert.equal(person.page.status, 200);
  }
  await services.stop();
  await services.context.mail.settled();
  assert.equal(mail.count, 1);
});

test('a form that is too long is refused before all of it is read', async (t) => {
  const { services } = await openWorldOnSqlite(t);
  const headers = { origin: services.auth, 'content-type': 'application/x-www-form-urlencoded' };
  const post = (path: string, body: BodyInit): Promise<Response> =>
    fetch(`${services.auth}${path}`, { method: 'POST', headers, body, duplex: 'half' } as RequestInit);
  for (const path of ['/sign-in', '/register', '/oauth/tokeninfo']) {
    assert.equal((await post(path, `login=${'a'.repeat(70_000)}`)).status, 413, path);
    let sent = 0;
    const endless = new ReadableStream({
      pull: (controller) => {
        sent++;
        controller.enqueue(Buffer.alloc(16_384, 'a'));
      },
    });
    const answer = await post(path, endless).then(
      ({ status }) => status,
      // The client may find the connection closed while it is still sending.
      () => 413,
    );
    assert.equal(answer, 413, path);
    assert.ok(sent < 1_000, `${path}: ${sent} chunks were read`);
  }
});

test('a path that looks like another host does not make the page link to that host', async (t) => {
  const { services } = await openWorldOnSqlite(t);
  for (const path of ['//evil.example/x', '/\\evil.example/x', '///evil.example']) {
    const page = await (await fetch(`${services.auth}${path}`)).text();
    assert.match(page, /hreflang="ja"/);
    assert.doesNotMatch(page, /href="\/[/\\]/, path);
  }
});

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { type Sql, sql } from '#db/sql.ts';
import { onEachDatabase } from '#test/support/context.ts';
import { setDisabled } from '#store/accounts/account-changes.ts';
import { endSessions } from '#store/accounts/account-sessions.ts';
import { forgetDevices } from '#store/accounts/known-devices.ts';
import { freePort } from '#test/auth/support.ts';
import { confirmByCode, protect } from './factors.ts';
import { requestFor } from './flow.ts';
import { CALLBACK, makeAccount, makeApplication, openTestAuth, PASSWORD } from './support.ts';
import { isSignedIn, openWorld, signIn, type World } from './world.ts';
import { Person } from './person.ts';

/** Lets `act` run once, while the next request that reads with such a statement is under way. */
function duringRequest(t: TestContext, { services }: World, reads: RegExp, act: () => Promise<unknown>): () => void {
  const { db } = services.context;
  let isDone = false;
  for (const queryable of new Set([db, db.shortReads])) {
    const get = queryable.get.bind(queryable);
    t.mock.method(queryable, 'get', async (statement: Sql) => {
      const row = await get(statement);
      if (isDone || !reads.test(`${statement.strings.join('?')} ${statement.values.join(' ')}`)) return row;
      isDone = true;
      await act();
      return row;
    });
  }
  return () => {
    assert.ok(isDone, 'no request was under way');
    t.mock.restoreAll();
  };
}

const SESSION_READ = /select payload, consumed from tokens\s+where hash.* Session /s;
const FACTOR_READ = /exists \(select 1 from passkeys/;

onEachDatabase(
  'a session that is ended during a request with it stays ended, and the request gets no code',
  async (t, url) => {
    const world = await openWorld(t, url);
    const { services, mail } = world;
    const { db, clock } = services.context;
    const robin = await makeAccount(services, 'Robin');
    const { application } = await makeApplication(services, 'web');
    let password = PASSWORD;
    let owner = new Person(services.auth);
    const ways: Record<string, (stolen: Person) => Promise<unknown>> = {
      others: () => owner.post('/account/sessions/end', {}),
      'sign-out': (stolen) => stolen.copy().post('/account/sign-out', {}),
      logout: async (stolen) => {
        const browser = stolen.copy();
        await browser.open('/oauth/logout');
        await browser.submit({}, '/confirm');
      },
      disabled: async () => {
        await setDisabled(db, robin.id, clock.now());
        await setDisabled(db, robin.id, null);
      },
      reset: async () => {
        const browser = new Person(services.auth);
        await browser.open('/forgot');
        await browser.submit({ login: 'Robin' });
        let link: string | undefined;
        while (link === undefined) link = (await mail.next(robin.email)).links.find((each) => each.includes('/reset?'));
        await browser.open(link);
        password = 'staple tower lantern';
        await browser.submit({ password });
      },
    };
    const allow = async (person: Person): Promise<void> => {
      await person.open(requestFor(services, application.client_id));
      if (!person.page.url.startsWith(CALLBACK)) await person.submit({}, '/consent');
      assert.match(person.page.url, /[?&]code=/);
    };
    for (const [way, end] of Object.entries(ways)) {
      owner = await signIn(world, 'Robin', password);
      const stolen = (await signIn(world, 'Robin', password)).copy();
      await allow(stolen);
      const finished = duringRequest(t, world, SESSION_READ, () => end(stolen));
      await stolen.open(requestFor(services, application.client_id));
      finished();
      assert.doesNotMatch(stolen.page.url, /[?&]code=/, way);
      assert.ok(!stolen.page.url.startsWith(CALLBACK) || stolen.page.url.includes('error=login_required'), way);
      assert.equal(await isSignedIn(stolen), false, way);
      const rows = await db.all(sql`
      select 1 as found from account_sessions s where not exists (
        select 1 from tokens t where t.uid_hash = s.uid_hash and t.kind = 'Session')`);
      assert.deepEqual(rows, [], `${way}: no row without a session`);
    }
  },
);

onEachDatabase('a session that another process ends during a request stays ended', async (t, url) => {
  const world = await openWorld(t, url);
  const { services } = world;
  const { id } = await makeAccount(services, 'Robin');
  const { application } = await makeApplication(services, 'web');
  const other = await openTestAuth(t, url, { AUTH_URL: services.auth, AUTH_LISTEN: `127.0.0.1:${await freePort()}` });
  const stolen = await signIn(world, 'Robin');
  const finished = duringRequest(t, world, SESSION_READ, () =>
    other.context.db.transaction((tx) => endSessions(tx, id)),
  );
  await stolen.open(requestFor(services, application.client_id));
  finished();
  assert.equal(await isSignedIn(stolen), false);
});

onEachDatabase(
  'a session that gets a new id during a request loses the former one, and other tabs continue',
  async (t, url) => {
    const world = await openWorld(t, url);
    const { services } = world;
    const { db } = services.context;
    const { id } = await makeAccount(services, 'Robin');
    const { application } = await makeApplication(services, 'web');
    const { recovery } = await protect(services, id);
    const owner = await signIn(world, 'Robin');
    await owner.submit({ code: recovery[0]! }, '/second');
    await owner.open(requestFor(services, application.client_id));
    await owner.submit({}, '/consent');
    await owner.open('/account/security/app');
    const stolen = owner.copy();
    const otherTab = owner.copy();
    const former = owner.cookie('session');
    let finished = duringRequest(t, world, SESSION_READ, async () => {
      await confirmByCode(owner, recovery[1]!);
      assert.match(owner.page.html, /name="secret"/);
    });
    await otherTab.open(requestFor(services, application.client_id));
    finished();
    assert.match(otherTab.page.url, /[?&]code=/);
    assert.equal(
      otherTab.cookie('session'),
      former,
      'the answer sets no cookie, which would replace the one with the new id',
    );
    assert.equal(await isSignedIn(stolen), false);
    assert.equal(await isSignedIn(owner), true);
    assert.equal((await db.all(sql`select 1 as found from tokens where kind = 'Session'`)).length, 1);

    await db.run(sql`update account_sessions set proved = null`);
    await owner.open('/account/security/confirm');
    const clicked = owner.copy();
    await clicked.open('/account/security/confirm');
    finished = duringRequest(t, world, SESSION_READ, () => confirmByCode(owner, recovery[2]!));
    await confirmByCode(clicked, recovery[3]!);
    finished();
    assert.equal(clicked.page.status, 410, 'the second of two proofs at once');
    assert.equal(await isSignedIn(owner), true);
  },
);

onEachDatabase('a sign-in under way with one factor ends when the first second factor is added', async (t, url) => {
  const world = await openWorld(t, url);
  const { services, mail } = world;
  const { db } = services.context;
  const { application } = await makeApplication(services, 'web');
  const ways: Record<string, (thief: Person, name: string) => Promise<() => Promise<unknown>>> = {
    password: async (thief, login) => {
      await thief.open('/sign-in');
      return () => thief.submit({ login, password: PASSWORD });
    },
    application: async (thief, login) => {
      await thief.open(requestFor(services, application.client_id));
      return () => thief.submit({ login, password: PASSWORD });
    },
    link: async (thief, login) => {
      await thief.post('/sign-in-link/send', { login, flow: '' });
      await thief.open((await mail.next(`${login.toLowerCase()}@example.org`)).links[0]!);
      return () => thief.submit();
    },
  };
  for (const [way, begin] of Object.entries(ways)) {
    const name = `Robin_${way.slice(0, 4)}`;
    const { id } = await makeAccount(services, name);
    const thief = new Person(services.auth);
    const authenticate = await begin(thief, name);
    const finished = duringRequest(t, world, FACTOR_READ, async () => {
      await protect(services, id);
      await db.transaction(async (tx) => {
        await endSessions(tx, id);
        await forgetDevices(tx, id);
      });
    });
    await authenticate();
    finished();
    assert.doesNotMatch(thief.page.url, /[?&]code=/, way);
    assert.equal(await isSignedIn(thief), false, way);
    assert.deepEqual(await db.all(sql`select hash from known_devices where account_id = ${id}`), [], way);
  }
});

onEachDatabase('a sign-in that is complete but for its resumption ends with all others', async (t, url) => {
  const world = await openWorld(t, url);
  const { services } = world;
  const { id } = await makeAccount(services, 'Robin');
  const { application } = await makeApplication(services, 'web');
  const thief = new Person(services.auth);
  await thief.open(requestFor(services, application.client_id));
  const end = () => services.context.db.transaction((tx) => endSessions(tx, id));
  // Only the request that resumes the authorization reads consents.
  const finished = duringRequest(t, world, /from consents/, end);
  await thief.submit({ login: 'Robin', password: PASSWORD });
  finished();
  assert.doesNotMatch(thief.page.url, /[?&]code=/);
  assert.equal(await isSignedIn(thief), false);
});

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { PASSWORD_MS } from '#console/reauthentication.ts';
import { totpCode, totpStep } from '#platform/crypto/totp.ts';
import { accountById } from '#store/accounts/accounts.ts';
import { newFactorCode } from '#store/accounts/factor-codes.ts';
import { factorsOf } from '#store/accounts/factors.ts';
import { applicationByClientId, secretsOf } from '#store/applications/applications.ts';
import { addOwner } from '#store/applications/owners.ts';
import { sql } from '#db/sql.ts';
import { idOf } from '#platform/ids.ts';
import { serverByName } from '#store/game/servers.ts';
import { application, configured, event, giveApp, sendEvents } from '#test/support/builders.ts';
import { onEachDatabase, onSqlite } from '#test/support/context.ts';
import { freePorts } from '#test/support/ports.ts';
import { SoftwareAuthenticator } from '#test/support/software-authenticator.ts';
import { secretOn } from '#test/auth/factors.ts';
import { makeAccount, PASSWORD } from '#test/auth/support.ts';
import { Person } from '#test/auth/person.ts';
import { completeSignIn, confirm, enter, makeOperator, openTestConsole, tokenOn, type Visitor } from './support.ts';

/** Each code of an authenticator app counts once, and for this long. */
const STEP_MS = 30_000;

/** Moves the clock of our services and that of the protocol library, which reads the system's. */
function clockOf(t: TestContext, { clock }: Awaited<ReturnType<typeof openTestConsole>>['context']) {
  t.mock.timers.enable({ apis: ['Date'], now: clock.now() });
  return (ms: number): void => {
    clock.advance(ms);
    t.mock.timers.setTime(clock.now());
  };
}

/** Enters the password on the page that the console has sent the browser to, and returns to the console. */
async function enterPassword({ console, signIn }: Visitor, password = PASSWORD): Promise<void> {
  await signIn.open(console.page.url);
  await signIn.submit({ password }, new URL(signIn.page.url).pathname);
  if (signIn.page.status !== 422) await console.open(signIn.page.url);
}

onEachDatabase('an act that gives power needs the password of the last ten minutes', async (t, url) => {
  const services = await openTestConsole(t, url, {}, Math.floor(Date.now() / 1000) * 1000);
  const { db } = services.context;
  const advance = clockOf(t, services.context);
  await makeOperator(services, 'Olga');
  const ann = await makeAccount(services, 'Ann');
  const role = async () => (await accountById(db, ann.id))!.role;
  const visitor = await enter(services, 'Olga');
  const { console: olga, signIn } = visitor;
  const path = `/console/operator/accounts/${ann.id}`;
  const act = async (change: string, fields: Record<string, string> = {}) => {
    await olga.open(path);
    return await olga.post(path, { form_token: tokenOn(olga.page.html), change, ...fields });
  };
  advance(PASSWORD_MS);
  await act('make_moderator');
  assert.match(olga.text, /Make Ann a moderator\?/);
  await confirm(olga);
  assert.equal(await role(), 'moderator', 'the sign-in is ten minutes old, which still counts');
  advance(1_000);
  assert.match(
    (await act('sign_out', { confirmed: 'yes' })).url,
    /done=completed/,
    'ending sessions asks for no password',
  );
  for (const change of ['make_user', 'disable', 'delete', 'make_operator']) {
    const asked = await act(change);
    assert.equal(new URL(asked.url).origin, services.auth, change);
    assert.match(asked.url, /prompt=login/);
  }

  await enterPassword(visitor, 'not the password');
  assert.equal(signIn.page.status, 422);
  await enterPassword(visitor);
  assert.match(olga.text, /You are confirmed/);
  await olga.submit({}, path);
  await confirm(olga);
  assert.equal(await role(), 'operator');
  await act('make_moderator');
  assert.match(olga.text, /Make Ann \(operator\) a moderator\?.*Operators can grant the role again\./);
  await confirm(olga);
  assert.match(olga.page.url, /done=completed/, 'within ten minutes it is not asked again');
  await act('make_user');
  assert.match(olga.text, /Remove the role of Ann \(moderator\)\?/);
  assert.match((await olga.open('/console/continue')).url, /done=again/, 'the form was offered once');

  advance(PASSWORD_MS + 1_000);
  await act('make_operator');
  const stripped = new URL(olga.page.url);
  stripped.searchParams.delete('prompt');
  await signIn.open(stripped.href);
  await olga.open(signIn.page.url);
  assert.match(olga.text, /You are confirmed/);
  await olga.submit({}, path);
  assert.equal(new URL(olga.page.url).origin, services.auth, 'the time of the ID token counts, not the request');
  assert.equal(await role(), 'moderator');
});

onSqlite('what cannot be undone needs the password, what can be restored does not', async (t, url) => {
  const services = await openTestConsole(t, url, {}, Math.floor(Date.now() / 1000) * 1000);
  const { context } = services;
  const advance = clockOf(t, context);
  await makeOperator(services, 'Olga');
  const { client_id } = await application(context, { name: 'Board' });
  await sendEvents(context, configured('Alpha'), event('counter.declared', { key: 'ducks', label: { en: 'Ducks' } }));
  const server = `/console/operator/servers/${idOf((await serverByName(context.db, 'Alpha'))!.key)}`;
  const { console: olga } = await enter(services, 'Olga');
  advance(PASSWORD_MS + 1_000);
  await olga.open('/console/operator/servers');
  const form_token = tokenOn(olga.page.html);
  const post = async (path: string, fields: Record<string, string> = {}) =>
    new URL((await olga.post(path, { form_token, confirmed: 'yes', ...fields })).url).origin;
  const uuid = '00000000-0000-4000-8000-000000000001';
  for (const [path, fields] of [
    [`${server}/withdraw`, { since: '2026-01-31T12:00:00Z' }],
    [`${server}/delete`, {}],
    [`${server}/keys`, { act: 'revoke', key: '00000000001' }],
    ['/console/operator/players/merge', { from: uuid, into: uuid }],
    [`/console/operator/players/${uuid}/erase`, { name: 'Ann' }],
    [`${server}/withdraw`, { key: '00000000001', since: '' }],
    [`/console/applications/${client_id}/delete`, { name: 'Board' }],
  ] as const)
    assert.equal(await post(path, fields), services.auth, path);
  assert.equal(await post('/console/operator/counters/ducks/delete'), services.site);
  assert.equal(await post(`/console/operator/applications/${client_id}`, { access: 'revoked' }), services.site);
});

onSqlite('an operator is asked about applications of others, their owners are not', async (t, url) => {
  const services = await openTestConsole(t, url, {}, Math.floor(Date.now() / 1000) * 1000);
  const { context } = services;
  const advance = clockOf(t, context);
  const olga = await makeOperator(services, 'Olga');
  const ann = await makeAccount(services, 'Ann');
  const [own, foreign] = [await application(context, { name: 'Own' }), await application(context, { name: 'Foreign' })];
  await addOwner(context.db, context.clock.now(), own.key, olga.id);
  await addOwner(context.db, context.clock.now(), foreign.key, ann.id);
  const [staff, owner] = [await enter(services, 'Olga'), await enter(services, 'Ann')];
  advance(PASSWORD_MS + 1_000);
  const addSecret = async ({ console }: Visitor, { client_id, key }: typeof own): Promise<number> => {
    await console.open(`/console/applications/${client_id}`);
    await console.submit({}, '/secrets');
    return (await secretsOf(context.db, key)).length;
  };
  assert.equal(await addSecret(owner, foreign), 2);
  assert.equal(await addSecret(staff, own), 2);
  assert.equal(await addSecret(staff, foreign), 2);
  await staff.signIn.open(staff.console.page.url);
  await staff.signIn.submit({}, '/switch');
  await staff.signIn.submit({ login: 'Ann', password: PASSWORD });
  await staff.console.open(staff.signIn.page.url);
  assert.match(staff.console.page.url, /done=again/, 'another account does not continue the form');
  assert.equal((await secretsOf(context.db, foreign.key)).length, 2);
});

onSqlite('a limit needs the password, its removal does not', async (t, url) => {
  const services = await openTestConsole(t, url, {}, Math.floor(Date.now() / 1000) * 1000);
  const { context } = services;
  const advance = clockOf(t, context);
  await makeOperator(services, 'Olga');
  const { client_id } = await application(context, { name: 'Board', limit: 5000 });
  const { console: olga } = await enter(services, 'Olga');
  advance(PASSWORD_MS + 1_000);
  const post = async (fields: Record<string, string>): Promise<string> => {
    await olga.open(`/console/applications/${client_id}/access`);
    const form_token = tokenOn(olga.page.html);
    return new URL((await olga.post(`/console/operator/applications/${client_id}`, { form_token, ...fields })).url)
      .origin;
  };
  assert.equal(await post({ limit: '9000' }), services.auth);
  assert.equal(await post({ limit: '9000', access: 'unknown' }), services.auth);
  assert.equal(await post({ limit: 'many' }), services.auth);
  assert.equal(await post({ limit: '' }), services.site);
  assert.equal((await applicationByClientId(context.db, client_id))!.hourly_limit, null);
});

onSqlite('polling an address and the hidden players need the password', async (t, url) => {
  const services = await openTestConsole(t, url, {}, Math.floor(Date.now() / 1000) * 1000);
  const { context } = services;
  const advance = clockOf(t, context);
  await makeOperator(services, 'Olga');
  await sendEvents(context, configured('Alpha'));
  const { console: olga } = await enter(services, 'Olga');
  const server = `/operator/servers/${idOf((await serverByName(context.db, 'Alpha'))!.key)}`;
  advance(PASSWORD_MS + 1_000);
  for (const [page, action, fields] of [
    [server, `${server}/watch`, { address: 'play.example.org' }],
    [server, server, { hidden: 'Olga' }],
    ['/operator/servers', '/operator/network', { hidden: 'Olga' }],
  ] as const) {
    await olga.open(`/console${page}`);
    assert.match((await olga.submit(fields, action)).url, /prompt=login/, action);
  }
  assert.deepEqual(await context.db.all(sql`select * from hidden_players`), []);
});

onEachDatabase('a sign-in of staff counts only with a second factor, by a code or a passkey', async (t, url) => {
  const settings = { OPERATOR_SECOND_FACTOR: 'required' };
  const services = await openTestConsole(t, url, settings, Math.floor(Date.now() / 1000) * 1000);
  const { context } = services;
  const advance = clockOf(t, context);
  const olga = await makeOperator(services, 'Olga');
  const ann = await makeAccount(services, 'Ann');
  const { signIn, console: first } = await enter(services, 'Olga');
  await giveApp(context, olga.id);
  const path = `/console/operator/accounts/${ann.id}`;
  const ask = async (person: Person): Promise<URL> => {
    await person.open(path);
    return new URL((await person.post(path, { form_token: tokenOn(person.page.html), change: 'make_moderator' })).url);
  };
  const asked = await ask(first);
  assert.equal(asked.origin, services.auth, 'the password of this minute is not enough');
  assert.equal(asked.searchParams.get('prompt'), 'login');
  assert.match(asked.searchParams.get('acr_values')!, /multi-factor$/);

  // What the sign-in pages note in the session of the auth service.
  const methods = (from: string, to: string): Promise<number> =>
    context.db.run(sql`
      update tokens set payload = replace(payload, ${`"amr":${from}`}, ${`"amr":${to}`}) where kind = 'Session'`);
  for (const [from, to] of [
    ['["pwd"]', '["pwd","otp","mfa"]'],
    ['["pwd","otp","mfa"]', '["hwk","user","mfa"]'],
  ] as const) {
    assert.equal(await methods(from, to), 1);
    const visitor = { signIn, console: new Person(services.site) };
    await completeSignIn(visitor, '/console/sign-in', 'Olga');
    assert.equal((await ask(visitor.console)).origin, services.site, to);
    assert.match(visitor.console.text, /Make Ann a moderator\?/);
  }
  const last = new Person(services.site);
  await completeSignIn({ signIn, console: last }, '/console/sign-in', 'Olga');
  advance(PASSWORD_MS + 1_000);
  assert.equal((await ask(last)).origin, services.auth, 'a second factor counts for ten minutes too');
});

onEachDatabase(
  'an operator enrols, enters the console with a code, and signs in again by code and passkey',
  async (t, url) => {
    const [port] = await freePorts(1);
    // Passkeys belong to a domain, and an address is none.
    const settings = { OPERATOR_SECOND_FACTOR: 'required', AUTH_URL: `http://localhost:${port}` };
    const services = await openTestConsole(t, url, settings, Math.floor(Date.now() / 1000) * 1000);
    const { context, auth } = services;
    const { db, clock } = context;
    context.mail.send = () => undefined;
    const advance = clockOf(t, context);
    const olga = await makeOperator(services, 'Olga');
    const ann = await makeAccount(services, 'Ann');
    const first = await enter(services, 'Olga');
    assert.match(first.console.text, /A second factor comes first/);
    const { signIn: enrolling } = first;
    await enrolling.open('/account/security/app');
    await enrolling.submit({ password: PASSWORD, code: (await newFactorCode(db, clock.now(), olga.id))! });
    const secret = secretOn(enrolling);
    const code = (): string => totpCode(secret, totpStep(clock.now()));
    await enrolling.submit({ code: code() });
    const device = new SoftwareAuthenticator(auth);
    await enrolling.open('/account/security/passkeys/add');
    await enrolling.post('/account/security/passkeys/add', {
      name: 'Key',
      credential: device.answer(enrolling.page.html),
    });
    assert.equal((await factorsOf(db, olga.id)).passkeys.length, 1, enrolling.text);

    advance(STEP_MS);
    const [console, signIn] = [new Person(services.site), new Person(auth)];
    const submitCode = async (): Promise<void> => {
      const form = signIn.forms().find(({ fields }) => 'code' in fields)!;
      await signIn.post(form.action, { code: code() });
    };
    await signIn.open((await console.open('/console/sign-in')).url);
    await signIn.submit({ login: 'Olga', password: PASSWORD });
    assert.match(signIn.page.url, /\/second$/);
    assert.match(
      (await console.copy().open('/console/operator')).url,
      /\/oauth\/authorize/,
      'the password alone is no sign-in',
    );
    await submitCode();
    await console.open(signIn.page.url);
    const path = `/console/operator/accounts/${ann.id}`;
    assert.equal((await console.open(path)).status, 200);

    const role = async (): Promise<string> => (await accountById(db, ann.id))!.role;
    for (const [change, wanted, again] of [
      ['make_moderator', 'moderator', 'code'],
      ['make_user', 'user', 'passkey'],
    ] as const) {
      advance(PASSWORD_MS + 1_000);
      await console.open(path);
      await console.post(path, { form_token: tokenOn(console.page.html), change });
      assert.match(console.page.url, /prompt=login/);
      await signIn.open(console.page.url);
      if (again === 'code') {
        await signIn.submit({ password: PASSWORD }, new URL(signIn.page.url).pathname);
        await submitCode();
      } else {
        const action = signIn.forms().find(({ fields }) => 'credential' in fields)!.action;
        await signIn.post(action, { credential: device.answer(signIn.page.html) });
      }
      await console.open(signIn.page.url);
      assert.match(console.text, /You are confirmed/, again);
      await console.submit({}, path);
      await confirm(console);
      assert.equal(await role(), wanted);
    }
  },
);

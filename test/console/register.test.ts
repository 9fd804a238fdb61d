import assert from 'node:assert/strict';
import { mailOperators } from '#mails/operator-mails.ts';
import { sql } from '#db/sql.ts';
import { applicationByClientId, deleteApplication, setAccess } from '#store/applications/applications.ts';
import { addOwner } from '#store/applications/owners.ts';
import { application } from '#test/support/builders.ts';
import { onEachDatabase } from '#test/support/context.ts';
import { Person } from '#test/auth/person.ts';
import { Mailbox } from '#test/support/mailbox.ts';
import { makeAccount, PASSWORD } from '#test/auth/support.ts';
import { enter, makeOperator, openTestConsole } from './support.ts';

onEachDatabase('from registration to the first 200: register, ask for access, call the API', async (t, url) => {
  const services = await openTestConsole(t, url, { ACCESS_APPROVAL: 'auto' });
  await makeAccount(services, 'Ann');
  const { console } = await enter(services, 'Ann');
  assert.match(console.text, /Your applications/);
  await console.open('/console/applications/new');
  assert.equal(console.forms().at(-1)!.fields['require_pkce'], undefined, 'PKCE is recommended, not required');
  await console.submit({ name: 'My <App>', type: 'service', redirect_uris: '', require_pkce: '1' }, '/applications');
  assert.equal(console.page.status, 200, console.page.html);
  const secret = /shs_[\w-]{43}/.exec(console.text)?.[0];
  const clientId = /\/applications\/([0-9a-f]{24})\?done=registered/.exec(console.page.url)![1]!;
  assert.ok(secret);
  assert.match(console.page.html, /My &lt;App&gt;/);
  const ask = (): Promise<Response> => fetch(`${services.api}/v1/servers`, { headers: { 'x-client-id': clientId } });
  assert.equal((await ask()).status, 403);
  await console.open(`/console/applications/${clientId}`);
  assert.ok(!console.page.html.includes(secret), 'a secret is shown once');
  await console.open(`/console/applications/${clientId}/access`);
  await console.submit({ purpose: 'A scoreboard.', volume: '100' }, '/access');
  assert.match(console.text, /curl -H/);
  assert.equal((await ask()).status, 200);
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: clientId, client_secret: secret });
  const { access_token } = (await (await fetch(`${services.auth}/oauth/token`, { method: 'POST', body })).json()) as {
    access_token: string;
  };
  const called = await fetch(`${services.api}/v1/servers`, { headers: { authorization: `Bearer ${access_token}` } });
  assert.equal(called.status, 200);
});

onEachDatabase('the console is part of the network: signing in to it asks for no consent', async (t, url) => {
  const services = await openTestConsole(t, url);
  await makeAccount(services, 'Ann');
  const [console, signIn] = [new Person(services.site), new Person(services.auth)];
  await signIn.open((await console.open('/console/sign-in')).url);
  const { url: returned } = await signIn.submit({ login: 'Ann', password: PASSWORD });
  assert.match(returned, /^http.*\/console\/signed-in\?code=/);
  await console.open(returned);
  assert.match(console.text, /Your applications/);
  await signIn.open('/account');
  assert.match(signIn.text, /Connected applications None\./);
});

const accessPath = (client_id: string): string => `/console/applications/${client_id}/access`;

onEachDatabase(
  'with ACCESS_APPROVAL=auto three first requests of an owner are granted, the fourth waits',
  async (t, url) => {
    const services = await openTestConsole(t, url, { ACCESS_APPROVAL: 'auto' });
    const { db, clock } = services.context;
    const ann = await makeAccount(services, 'Ann');
    const make = async (name: string) => {
      const app = await application(services.context, { name, access: 'none' });
      await addOwner(db, clock.now(), app.key, ann.id);
      return app;
    };
    const apps = [];
    for (const name of ['One', 'Two', 'Three', 'Four', 'Five']) apps.push(await make(name));
    const { console } = await enter(services, 'Ann');
    await console.open(accessPath(apps[0]!.client_id));
    const { fields } = console.forms().find(({ action }) => action.endsWith('/access'))!;
    const ask = ({ client_id }: { client_id: string }) =>
      console.post(accessPath(client_id), { ...fields, purpose: 'A board.', volume: '5000' });
    await Promise.all(apps.map(ask));
    const stored = await Promise.all(apps.map(({ client_id }) => applicationByClientId(db, client_id)));
    const states = stored.map((app) => app!.access).sort();
    assert.deepEqual(
      states,
      ['approved', 'approved', 'approved', 'waiting', 'waiting'],
      'also when they arrive at once',
    );
    assert.ok(
      stored.every((app) => app!.hourly_limit === null),
      'at the specified limits',
    );

    const approved = stored.find((app) => app!.access === 'approved')!;
    await setAccess(db, approved.client_id, 'revoked');
    await ask(approved);
    assert.equal((await applicationByClientId(db, approved.client_id))!.access, 'waiting', 'only the first request');
    const waiting = stored.find((app) => app!.access === 'waiting')!;
    await console.open(accessPath(waiting.client_id));
    assert.match(console.text, /Your request is waiting/);

    await db.run(sql`update accounts set email_verified = 0 where id = ${ann.id}`);
    await deleteApplication(db, approved.client_id);
    const unverified = await make('Six');
    await ask(unverified);
    assert.equal((await applicationByClientId(db, unverified.client_id))!.access, 'waiting', 'only confirmed accounts');
  },
);

onEachDatabase(
  'a waiting request says since when, what it opens, and whether the operator has a mail',
  async (t, url) => {
    const mailbox = await Mailbox.open(t);
    const services = await openTestConsole(t, url, { SMTP_URL: mailbox.url });
    const { context } = services;
    const { db, clock } = context;
    const ann = await makeAccount(services, 'Ann');
    const app = await application(context, { name: 'Board', access: 'none' });
    await addOwner(db, clock.now(), app.key, ann.id);
    const { console } = await enter(services, 'Ann');
    const path = `/console/applications/${app.client_id}`;
    await console.open(`${path}/access`);
    await console.submit({ purpose: 'A board.', volume: '100' }, '/access');
    assert.match(console.text, /Your request is waiting Since/);
    assert.match(
      console.text,
      /the data API: 900 requests per hour with the application’s own tokens, 900 for each user/,
    );
    assert.match(
      console.text,
      /Operator Sees your request in the console\. You will get the answer by mail to ann@example\.org/,
    );

    await makeOperator(services, 'Olga');
    await console.open(path);
    assert.match(console.text, /Gets a mail within the hour/);
    clock.advance(600_000);
    await mailOperators(context, 0);
    await context.mail.settled();
    assert.match((await mailbox.next('olga@example.org')).text, /- Board, requested by Ann/);
    await console.open(path);
    assert.match(console.text, /Told by mail: \d+ \w+ \d{4}/);

    await db.run(sql`update operator_mails set delivered = null`);
    await db.run(
      sql`insert into mail_failures (server, since, error) values (${new URL(mailbox.url).host}, 1, 'ETIMEDOUT')`,
    );
    await console.open(`${path}?lang=ja`);
    assert.match(console.text, /現在メールサーバーが応答していないため/);
    const { console: olga } = await enter(services, 'Olga');
    await olga.open('/console/operator');
    assert.match(olga.text, /The mail server is not answering.*failing since.*ETIMEDOUT/s);
  },
);

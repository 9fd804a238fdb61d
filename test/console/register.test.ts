import assert from 'node:assert/strict';
import { onEachDatabase } from '#test/support/context.ts';
import { Person } from '#test/auth/person.ts';
import { makeAccount, PASSWORD } from '#test/auth/support.ts';
import { enter, openTestConsole } from './support.ts';

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

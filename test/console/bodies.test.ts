import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { hostCookie, SITE_SESSION } from '#http/cookies.ts';
import { application } from '#test/support/builders.ts';
import { askRaw, type Reply, requestText } from '#test/support/request.ts';
import { createTestDatabase } from '#test/support/context.ts';
import { disconnect, LogRecorder } from '#test/support/disconnect.ts';
import { makeOperator, enter, openTestConsole, type TestConsole, tokenOn } from './support.ts';

const FORM = 'application/x-www-form-urlencoded';
const NEXT = requestText('GET', '/console/next', { connection: 'close' });
const WEBP = 'RIFF0000WEBP';
const BOUNDARY = 'between-the-parts-of-a-form';

/** Sends a request and checks that the next one on the same connection is parsed correctly. Returns the first response. */
async function askThenNext({ site }: TestConsole, text: string): Promise<Reply> {
  const [first, next, ...more] = await askRaw(site, text, NEXT);
  assert.deepEqual([next?.status, more], [404, []], text);
  return first!;
}

function part(name: string, attributes: string, value: string): string {
  return `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"${attributes}\r\n\r\n${value}\r\n`;
}

async function openConsole(t: TestContext): Promise<TestConsole> {
  const database = await createTestDatabase('sqlite');
  const services = await openTestConsole(t, database.url);
  t.after(() => database.drop());
  return services;
}

test('a request without Content-Length is answered like one with it', async (t) => {
  const services = await openConsole(t);
  const headers = { origin: services.site, 'content-type': FORM };
  const withLength = (body: string) => ({ ...headers, 'content-length': String(body.length) });
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'])
    for (const path of ['/console', '/console/sign-out', '/console/applications/x/logo', '/console/x', '/', '/x']) {
      const what = `${method} ${path}`;
      const empty = await askThenNext(services, requestText(method, path, withLength('')));
      const none = await askThenNext(services, requestText(method, path, headers));
      assert.equal(none.status, empty.status, what);
      const whole = await askThenNext(
        services,
        requestText(method, path, withLength('name=x&type=y'), 'name=x&type=y'),
      );
      const chunks = await askThenNext(services, requestText(method, path, headers, 'name=x&type=y'));
      assert.equal(chunks.status, whole.status, what);
      assert.ok(whole.status < 500, `${what}: ${whole.status}`);
    }
});

test('HEAD has the status of GET', async (t) => {
  const services = await openConsole(t);
  await makeOperator(services, 'Olga');
  const { client_id } = await application(services.context, { name: 'Board' });
  const { console } = await enter(services, 'Olga');
  const name = hostCookie(SITE_SESSION, false);
  const headers = { cookie: `${name}=${console.cookie(name)}` };
  const ofApplication = ['webhooks', 'settings'].map((tab) => `applications/${client_id}/${tab}`);
  for (const path of [...ofApplication, 'applications/new', 'operator/servers', 'operator/counters']) {
    const { status } = await fetch(`${services.site}/console/${path}`, { method: 'HEAD', headers });
    assert.equal(status, 200, path);
  }
});

test('forms and uploads are accepted in chunks and refused when they are too long', async (t) => {
  const services = await openConsole(t);
  await makeOperator(services, 'Olga');
  const { client_id } = await application(services.context, { name: 'Before' });
  const { console } = await enter(services, 'Olga');
  const form_token = tokenOn(console.page.html);
  const name = hostCookie(SITE_SESSION, false);
  const cookie = `${name}=${console.cookie(name)}`;
  const own = { cookie, origin: services.site, 'sec-fetch-site': 'same-origin' };
  const form = { ...own, 'content-type': FORM };

  const fields = { form_token, name: 'Made', type: 'service', redirect_uris: '' };
  const body = new URLSearchParams(fields).toString();
  const made = await askThenNext(services, requestText('POST', '/console/applications', form, body));
  assert.equal(made.status, 303, made.text);
  assert.match((await console.open('/console/applications')).html, /Made/);

  const logo = `/console/applications/${client_id}/logo`;
  const file = part('logo', '; filename="x.webp"\r\ncontent-type: image/webp', WEBP);
  const upload = { ...own, 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
  const parts = `${part('form_token', '', form_token)}${file}--${BOUNDARY}--\r\n`;
  const uploaded = await askThenNext(services, requestText('POST', logo, upload, parts));
  assert.match(String(uploaded.headers['location']), /done=saved$/);

  const long = 'a'.repeat(300_000);
  for (const lengthHeader of [{}, { 'content-length': String(long.length) }] as Record<string, string>[]) {
    const [answer, ...more] = await askRaw(
      services.site,
      requestText('POST', logo, { ...upload, ...lengthHeader }, long),
      NEXT,
    );
    assert.deepEqual([answer?.status, answer?.headers['connection'], more], [413, 'close', []]);
    assert.match(answer!.text, /<h1>/);
  }
});

test('a client that disconnects in the middle of a form causes no error log', async (t) => {
  const services = await openConsole(t);
  const log = new LogRecorder(t, services.context.log);
  const headers = { origin: services.site, 'content-type': FORM };
  for (const [name, value] of [
    ['content-length', '100'],
    ['transfer-encoding', 'chunked'],
  ] as const) {
    log.forget();
    const text = requestText('POST', '/console/sign-out', { ...headers, [name]: value });
    await disconnect(services.site, `${text}5\r\nname=\r\n`);
    await log.something();
    await fetch(`${services.site}/console`);
    assert.deepEqual(log.levels, ['debug'], name);
  }
});

import assert from 'node:assert/strict';
import { createPublicKey, X509Certificate } from 'node:crypto';
import { onEachDatabase, testContext } from '#test/support/context.ts';
import { scorehall } from './scorehall.ts';

type Printed = Record<string, unknown>;

const after = (...uris: string[]): string[] => uris.flatMap((uri) => ['--post-logout-redirect-uri', uri]);

onEachDatabase('commands register and change how people sign in to an application', async (t, url) => {
  await testContext(t, url);
  const run = async (...args: string[]) => await scorehall({ DATABASE_URL: url }, 'app', ...args);
  const parts = ['create', '--name', 'Board', '--type', 'service', '--redirect-uri', 'https://a.example/cb', '--json'];
  const settings = ({ require_pkce, rotate_refresh_tokens }: Printed) => [require_pkce, rotate_refresh_tokens];
  const first = JSON.parse((await run(...parts)).out) as Printed;
  assert.deepEqual(settings(first), [false, false], 'nothing is required by default');
  const strict = await run(...parts, '--require-pkce', 'yes', '--rotate-refresh-tokens', 'yes');
  assert.deepEqual(settings(JSON.parse(strict.out) as Printed), [true, true]);

  const set = async (...args: string[]) =>
    await run('set', '--client-id', String(first['client_id']), '--json', ...args);
  assert.deepEqual(settings(JSON.parse((await set('--require-pkce', 'yes')).out) as Printed), [true, false]);
  const changed = JSON.parse((await set('--rotate-refresh-tokens', 'yes')).out) as Printed;
  assert.deepEqual(settings(changed), [true, true]);
  assert.deepEqual(changed['redirect_uris'], ['https://a.example/cb'], 'the rest stays');
  const returns = ({ post_logout_redirect_uris }: Printed) => post_logout_redirect_uris;
  const [bye, home] = ['https://a.example/bye', 'https://www.a.example/'];
  assert.deepEqual(returns(JSON.parse((await run(...parts, ...after(bye))).out) as Printed), [bye]);
  assert.deepEqual(returns(changed), []);
  assert.deepEqual(returns(JSON.parse((await set(...after(bye, home))).out) as Printed), [bye, home]);
  assert.deepEqual(returns(JSON.parse((await set('--require-pkce', 'no')).out) as Printed), [bye, home]);
  for (const wrong of [await set(...after('com.a.app:/bye')), await run(...parts, ...after('com.a.app:/bye'))])
    assert.match(wrong.err, /--post-logout-redirect-uri com\.a\.app:\/bye must be https/);
  assert.deepEqual(returns(JSON.parse((await set(...after(''))).out) as Printed), [], 'an empty value removes them');
  assert.match((await set('--require-pkce', 'maybe')).err, /--require-pkce must be one of yes, no/);
  assert.match((await set()).err, /--require-pkce or --rotate-refresh-tokens is missing/);
});

onEachDatabase(
  'a signing key can be exported as a public key and as a certificate, the same each time',
  async (t, url) => {
    await testContext(t, url);
    const environment = { DATABASE_URL: url, SECRET_KEY: 'a secret that is long enough for tests' };
    const run = async (...args: string[]) => await scorehall(environment, 'signing-key', ...args);
    const [pem, certificate] = [await run('export', '--pem'), await run('export', '--certificate')];
    const key = createPublicKey(pem.out);
    const x509 = new X509Certificate(certificate.out);
    assert.ok(x509.verify(key), 'it is signed by its own key');
    assert.ok(x509.publicKey.equals(key));
    const [{ kid }] = JSON.parse((await run('list', '--json')).out) as [{ kid: string }];
    assert.deepEqual([x509.subject, x509.issuer], [`CN=${kid}`, `CN=${kid}`]);
    assert.equal(new Date(x509.validTo).getUTCFullYear(), 9999);
    assert.ok(new Date(x509.validFrom) <= new Date());
    assert.doesNotMatch(pem.out + certificate.out, /PRIVATE/);
    assert.equal((await run('export', '--certificate')).out, certificate.out);

    const next = JSON.parse((await run('rotate', '--json')).out) as { kid: string };
    assert.equal((await run('export', '--pem')).out, pem.out, 'the new key does not sign yet');
    const announced = new X509Certificate((await run('export', '--certificate', `--kid=${next.kid}`)).out);
    assert.equal(announced.subject, `CN=${next.kid}`);
    assert.match((await run('export', '--pem', '--kid', 'lost')).err, new RegExp(`no published key lost.*${next.kid}`));
    assert.match(
      (await run('export', '--pem', '--kid', '-lost')).err,
      /no published key -lost/,
      'a value may begin with -',
    );
    assert.match((await run('export', '--kid', '--pem')).err, /'--kid.*' argument is ambiguous|argument missing/);
    for (const args of [[], ['--pem', '--certificate']])
      assert.match((await run('export', ...args)).err, /Choose one of --pem and --certificate/);
  },
);

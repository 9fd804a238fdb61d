import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkRedirectUri } from '#store/applications/redirect-uris.ts';

const installed = (uri: string) => checkRedirectUri('installed', uri);
const web = (uri: string) => checkRedirectUri('web', uri);

test('a redirect URI has a plain host, and a scheme of its own contains a dot', () => {
  for (const uri of ['com.example.app:/cb', 'com.example.app://cb', 'https://a.example/cb', 'http://[::1]/cb'])
    assert.equal(installed(uri), undefined, uri);
  for (const uri of ['myapp:/cb', 'myapp://callback', 'app-1:/x'])
    assert.equal(installed(uri), 'scheme_without_dot', uri);
  assert.equal(installed('javascript:alert(1)'), 'browser_scheme');
  for (const uri of ['https://a;sandbox;b/', 'https://a,b/', "https://a'b/", 'https://*.example/'])
    assert.equal(web(uri), 'unusual_host', uri);
  for (const uri of [
    'https://bücher.example/',
    'https://a_b.example:8443/x',
    'http://localhost:3000/',
    'https://[2001:db8::1]/',
  ])
    assert.equal(web(uri), undefined, uri);
  assert.equal(web('com.example.app:/cb'), 'not_https');
});

import assert from 'node:assert/strict';
import { deleteApplication, setAccess } from '#store/applications/applications.ts';
import { testApi } from '#test/support/api.ts';
import { ask, askRaw, type Reply } from '#test/support/request.ts';
import {
  account,
  application,
  login,
  person,
  configured,
  serviceToken,
  sendEvents,
  userToken,
} from '#test/support/builders.ts';
import { createServerKey, revokeServerKeys } from '#store/game/server-keys.ts';
import { serverByName } from '#store/game/servers.ts';
import { onEachDatabase } from '#test/support/context.ts';

const CHALLENGE = /^Bearer realm="Scorehall", error="invalid_token"/;

function assertInvalidToken(reply: Reply): void {
  assert.equal(reply.status, 401, reply.text);
  assert.equal(reply.json.error, 'invalid_token');
  assert.match(String(reply.headers['www-authenticate']), CHALLENGE);
}

const twice = (...tokens: string[]): string =>
  `GET /v1/servers HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${tokens.map((token) => `Authorization: Bearer ${token}\r\n`).join('')}\r\n`;

onEachDatabase('the data API has three kinds of callers', async (t, url) => {
  const { context, origin, app, token } = await testApi(t, url);
  const id = app.client_id;
  const other = await application(context, { name: 'Other' });
  const otherToken = await serviceToken(context, other.client_id);
  const at = async (path: string, headers: Record<string, string | string[]> = {}): Promise<Reply> =>
    await ask(origin, path, { headers });
  const status = async (path: string, headers: Record<string, string | string[]> = {}): Promise<number> =>
    (await at(path, headers)).status;

  await t.test('a token is accepted in the header, ignoring the case of the scheme, or in the query', async () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER', 'Bearer  '])
      assert.equal(await status('/v1/servers', { authorization: `${scheme} ${token}` }), 200);
    assert.equal(await status(`/v1/servers?access_token=${token}`), 200);
    assert.equal(await status(`/v1/servers?limit=5&access_token=${token}&x=1`), 200);
    assert.equal(await status(`/v1/servers?access%5ftoken=${token}`), 200);
  });

  await t.test('a Client ID alone is accepted in the header or in the query', async () => {
    assert.equal(await status('/v1/servers', { 'x-client-id': id }), 200);
    assert.equal(await status(`/v1/servers?client_id=${id}`), 200);
    assert.equal(await status(`/v1/servers?client_id=${id}`, { 'x-client-id': id }), 200);
  });

  await t.test('missing or empty credentials get a challenge without an error code', async () => {
    for (const [path, headers] of [
      ['/v1/servers', {}],
      ['/v1/servers?access_token=', {}],
      ['/v1/servers?client_id=&access_token', {}],
      ['/v1/servers', { authorization: '', 'x-client-id': '' }],
    ] as const) {
      const reply = await at(path, headers);
      assert.equal(reply.status, 401);
      assert.equal(reply.headers['www-authenticate'], 'Bearer realm="Scorehall"');
    }
  });

  await t.test('unknown or malformed credentials and other schemes get a challenge with invalid_token', async () => {
    const wrong = ['Bearer', 'Bearer ', 'Basic dXNlcjpwYXNz', token, `Bearer ${token} x`, `Bearer ${token}x`, 'x'];
    for (const authorization of wrong) assertInvalidToken(await at('/v1/servers', { authorization }));
    for (const [other, sentence] of [
      ['shs_x', /This is a Client Secret: exchange it for an access token/],
      ['shk_x', /The key of the game server is unknown/],
    ] as const) {
      const reply = await at('/v1/servers', { authorization: `Bearer ${other}` });
      assertInvalidToken(reply);
      assert.match(reply.json.error_description, sentence);
    }
    assertInvalidToken(await at(`/v1/servers?access_token=${token.slice(1)}`));
    for (const query of ['nobody', '%00', '%', '%zz', '%F0%9F%8E%AE', 'x'.repeat(10_000)]) {
      assertInvalidToken(await at(`/v1/servers?client_id=${query}`));
      assertInvalidToken(await at(`/v1/servers?access_token=${query}`));
    }
    assertInvalidToken(await at(`/v1/servers?client_id=${id.toUpperCase().replace(/^\d*$/, 'A')}`));
    assertInvalidToken(await at(`/v1/servers?client_id=${id}`, { authorization: 'Bearer nothing' }));
  });

  await t.test('a credential of a wrong form is told what it is and what would be right', async () => {
    const secret = `whsec_${'A'.repeat(43)}=`;
    const wrong: [path: string, headers: Record<string, string>, sentence: RegExp][] = [
      [
        '',
        { authorization: `Token ${token}` },
        /^The header Authorization has the scheme Token\. .*Authorization: Bearer/,
      ],
      ['', { authorization: `token ${token}` }, /has the scheme token\./],
      ['', { authorization: `ApiKey ${token}` }, /has the scheme ApiKey\./],
      ['', { authorization: 'hunter2 hunter2' }, /has another scheme than Bearer\./],
      ['', { authorization: 'Basic dXNlcjpwYXNz' }, /has the scheme Basic\. .*an access token.*\/oauth\/token/],
      ['', { authorization: token }, /has no scheme\. .*Authorization: Bearer/],
      ['', { authorization: 'Bearer' }, /has nothing after Bearer\./],
      ['', { authorization: 'Bearer  ' }, /has nothing after Bearer\./],
      ['', { authorization: `Bearer ${token} x` }, /has a blank within what follows Bearer\./],
      ['', { authorization: `Bearer ${id}` }, /^This is a Client ID, not an access token: .*X-Client-ID/],
      [`?access_token=${id}`, {}, /^This is a Client ID, not an access token/],
      [
        '',
        { authorization: 'Bearer eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln' },
        /^This is a JWT, such as an ID token/,
      ],
      ['', { authorization: `Bearer ${secret}` }, /^This is the secret of a webhook/],
      ['', { authorization: `Bearer ${'x'.repeat(600)}` }, /^The access token is longer than/],
      ['', { authorization: `Bearer ${token.slice(1)}` }, /^The access token is unknown, expired or revoked\./],
      ['?client_id=nobody', {}, /^No application has this Client ID\./],
      ['?client_id=shs_x', {}, /^This is a Client Secret, not a Client ID/],
      [`?client_id=${token}`, {}, /^No application has this Client ID\. An access token belongs into the header/],
      ['', {}, /^Send an access token \(Authorization: Bearer TOKEN\) or a Client ID \(\?client_id=ID\)/],
    ];
    for (const [query, headers, sentence] of wrong) {
      const reply = await at(`/v1/servers${query}`, headers);
      assert.equal(reply.status, 401, String(sentence));
      assert.match(reply.json.error_description, sentence);
      assert.match(
        String(reply.headers['www-authenticate']),
        /^Bearer realm="Scorehall"(, error="invalid_token", error_description="[^"\\]+")?$/,
      );
      assert.doesNotMatch(reply.text, /hunter2/, 'nothing of the credential is repeated');
    }
  });

  await t.test('two different credentials are refused, the same one twice is accepted', async () => {
    const bearer = `Bearer ${token}`;
    const wrong: [string, Record<string, string | string[]>][] = [
      [`/v1/servers?access_token=${otherToken}`, { authorization: bearer }],
      [`/v1/servers?access_token=${token}&access_token=${otherToken}`, {}],
      [`/v1/servers?client_id=${other.client_id}`, { authorization: bearer }],
      [`/v1/servers?client_id=${id}&client_id=${other.client_id}`, {}],
      [`/v1/servers?client_id=${id}`, { 'x-client-id': other.client_id }],
      ['/v1/servers', { 'x-client-id': [id, other.client_id] }],
    ];
    for (const [path, headers] of wrong) {
      const reply = await at(path, headers);
      assert.equal(reply.status, 400, path);
      assert.equal(reply.json.error, 'invalid_request');
    }
    for (const nobody of ['nobody', 'undefined', '%00', 'x'.repeat(1000)])
      assert.equal(await status(`/v1/servers?client_id=${nobody}&access_token=${token}`), 200, 'no application has it');
    assert.equal(await status('/v1/servers', { authorization: bearer, 'x-client-id': 'nonsense' }), 200);
    assert.equal(await status(`/v1/servers?access_token=${token}`, { authorization: bearer }), 200);
    assert.equal(await status(`/v1/servers?client_id=${id}`, { authorization: bearer, 'x-client-id': id }), 200);
    assert.equal(await status('/v1/servers', { 'x-client-id': [id, id] }), 200);
  });

  await t.test('two Authorization headers are two credentials', async () => {
    assert.equal((await askRaw(origin, twice(token, otherToken)))[0]!.status, 400);
    assert.equal((await askRaw(origin, twice(token, token)))[0]!.status, 200);
  });

  await t.test('a token expires exactly on time', async () => {
    const short = await serviceToken(context, id, 60_000);
    context.clock.advance(59_999);
    assert.equal(await status(`/v1/servers?access_token=${short}`), 200);
    context.clock.advance(1);
    assertInvalidToken(await at(`/v1/servers?access_token=${short}`));
  });

  await t.test('an application has access only while its access is approved', async () => {
    const waiting = await application(context, { access: 'none' });
    const credentials = [
      `client_id=${waiting.client_id}`,
      `access_token=${await serviceToken(context, waiting.client_id)}`,
    ];
    for (const state of ['none', 'waiting', 'refused', 'revoked'] as const) {
      await setAccess(context.db, waiting.client_id, state);
      for (const credential of credentials) {
        const reply = await at(`/v1/servers?${credential}`);
        assert.equal(reply.status, 403, state);
        assert.equal(reply.json.error, 'access_not_approved');
        assert.equal(
          reply.headers['www-authenticate'],
          undefined,
          'no challenge, because another token would not help',
        );
      }
    }
    await setAccess(context.db, waiting.client_id, 'approved');
    for (const credential of credentials) assert.equal(await status(`/v1/servers?${credential}`), 200);
    await deleteApplication(context.db, waiting.client_id);
    for (const credential of credentials) assertInvalidToken(await at(`/v1/servers?${credential}`));
  });
});

onEachDatabase('`me` is the player who owns the token', async (t, url) => {
  const { context, origin, app, token } = await testApi(t, url);
  await sendEvents(context, configured('Alpha'), login('Alpha', person(1, 'Ada')), login('Alpha', person(2, 'Me')));
  const ada = await account(context, 'Ada', person(1).uuid);
  const unlinked = await account(context, 'Bob');
  const unseen = await account(context, 'Cyd', person(77).uuid);
  const tokenOf = (accountId: string, scope?: string): Promise<string> =>
    userToken(context, app.client_id, accountId, scope === undefined ? {} : { scope });
  const me = async (credential: { token?: string; clientId?: string }, path = '/v1/players/me'): Promise<Reply> =>
    await ask(origin, path, credential);

  await t.test('for a user with the scope profile', async () => {
    for (const scope of ['profile', 'openid profile email', 'email profile']) {
      const reply = await me({ token: await tokenOf(ada.id, scope) });
      assert.equal(reply.status, 200, reply.text);
      assert.equal(reply.json.uuid, person(1).uuid);
    }
    const mine = await me({ token: await tokenOf(ada.id) }, '/v1/players/me/punishments?limit=3');
    assert.deepEqual([mine.status, mine.json], [200, []]);
    assert.equal((await me({ token: await tokenOf(ada.id) }, '/v1/players/m%65')).json.name, 'Ada');
  });

  await t.test('but 403 without that scope, for an application, and for a Client ID', async () => {
    const others = [{ token }, { clientId: app.client_id }];
    for (const scope of ['openid email', '', 'profiles', 'Profile'])
      others.push({ token: await tokenOf(ada.id, scope) });
    for (const path of ['/v1/players/me', '/v1/players/me/punishments', '/v1/players/me/?fields=ctw'])
      for (const credential of others) {
        const reply = await me(credential, path);
        assert.equal(reply.status, 403, reply.text);
        assert.equal(reply.json.error, 'insufficient_scope');
        assert.match(String(reply.headers['www-authenticate']), /error="insufficient_scope".* scope="profile"/);
      }
    const narrow = await tokenOf(ada.id, '');
    assert.equal((await me({ token: narrow }, '/v1/players/Ada')).status, 200, 'public data needs no scope');
  });

  await t.test('but 404 if no player is linked, or the player was never on the network', async () => {
    for (const { id } of [unlinked, unseen]) assert.equal((await me({ token: await tokenOf(id) })).status, 404);
  });

  await t.test('a player may be named Me', async () => {
    assert.equal((await me({ token }, '/v1/players/Me')).json.uuid, person(2).uuid);
    assert.equal((await me({ token }, '/v1/players/ME')).json.uuid, person(2).uuid);
  });

  await t.test('an invalid parameter is reported before a missing scope', async () => {
    assert.equal((await me({ token }, '/v1/players/me?fields=nonsense')).status, 400);
  });
});

onEachDatabase('the key of a game server reads public data at a limit of its own', async (t, url) => {
  const { context, origin, app, token } = await testApi(t, url, { SERVER_LIMIT: '4' });
  const { db, clock } = context;
  await sendEvents(context, configured('Alpha'), configured('Beta'), login('Alpha', person(1)));
  const keyOfServer = async (name: string): Promise<number> => (await serverByName(db, name))!.key;
  const [alpha, beta] = [await keyOfServer('Alpha'), await keyOfServer('Beta')];
  const keys = [
    await createServerKey(db, clock.now(), alpha),
    await createServerKey(db, clock.now(), alpha, true),
    await createServerKey(db, clock.now(), beta),
  ] as const;
  const get = (key: string, path = `/v1/players/${person(1).uuid}`): Promise<Reply> =>
    ask(origin, path, { token: key });

  const replies = [await get(keys[0]), await get(keys[1]), await get(keys[2])];
  assert.deepEqual(
    replies.map(({ status, headers }) => [status, headers['x-ratelimit-limit'], headers['x-ratelimit-remaining']]),
    [
      [200, '4', '3'],
      [200, '4', '2'],
      [200, '4', '3'],
    ],
    'the keys of one server share its limit',
  );
  assert.equal(replies[0]!.text, (await ask(origin, `/v1/players/${person(1).uuid}`, { token })).text);
  const me = await get(keys[0], '/v1/players/me');
  assert.deepEqual([me.status, me.json.error], [403, 'insufficient_scope']);
  const beside = await ask(origin, '/v1/servers', { token: keys[2], clientId: app.client_id });
  assert.equal(beside.status, 200, 'a Client ID beside the key changes nothing');
  assert.equal((await get(keys[0])).headers['x-ratelimit-remaining'], '0');
  assert.equal((await get(keys[1])).status, 429);
  assert.equal((await get(keys[2], '/v1/servers')).status, 200);

  clock.advance(3_600_000);
  await revokeServerKeys(db, clock.now(), beta);
  assert.equal((await get(keys[2])).status, 401, 'a revoked key');
  const unknown = await get('shk_unknown');
  assert.equal(unknown.status, 401);
  assert.match(String(unknown.headers['www-authenticate']), /error="invalid_token"/);
});

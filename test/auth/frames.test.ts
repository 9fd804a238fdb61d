import assert from 'node:assert/strict';
import { test } from 'node:test';
import { everyFactorPage, everySignInPage, type SignInPage } from './pages.ts';
import { Person } from './person.ts';
import { openWorldOnSqlite, signIn } from './world.ts';

test('no page of the sign-in can be shown in a frame, and only forms of the account end at the service', async (t) => {
  const world = await openWorldOnSqlite(t);
  const { anonymous, unlinked, linked } = await everySignInPage(world.services);
  const { pages, recoveryCode } = await everyFactorPage(world.services);
  const wren = await signIn(world, 'Wren');
  const secondStep: SignInPage = { name: 'second-step', path: '/sign-in/second' };
  const code = await recoveryCode();
  for (const [person, all] of [
    [new Person(world.services.auth), anonymous],
    [await signIn(world, 'Robin'), unlinked],
    [await signIn(world, 'Steve'), linked],
    [wren, [secondStep]],
    [wren, pages],
  ] as const) {
    if (all === pages) await wren.post('/sign-in/second', { code });
    for (const { name, path, error = 200 } of all) {
      const { status, headers } = await person.open(path);
      assert.equal(status, error, name);
      assert.equal(headers.get('x-frame-options'), 'DENY', name);
      const policy = headers.get('content-security-policy') ?? '';
      assert.match(policy, /frame-ancestors 'none'/, name);
      assert.equal(/form-action 'self'(;|$)/.test(policy), path.startsWith('/account'), name);
      assert.equal(policy.includes('form-action'), path.startsWith('/account'), name);
    }
  }
});

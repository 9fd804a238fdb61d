import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { verifyWebhook, WebhookError } from '#client/index.ts';

/** The example of the libraries of Standard Webhooks: github.com/standard-webhooks/standard-webhooks, `sign` in their tests. */
const EXAMPLE = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestamp: 1_614_265_330,
  body: '{"test": 2432232314}',
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};
const { secret, body } = EXAMPLE;

const headersOf = (signature = EXAMPLE.signature): Record<string, string> => ({
  'webhook-id': EXAMPLE.id,
  'webhook-timestamp': String(EXAMPLE.timestamp),
  'webhook-signature': signature,
});

test('a delivery is verified as Standard Webhooks says', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: EXAMPLE.timestamp * 1000 });
  const parsed = { test: 2432232314 };
  assert.deepEqual(await verifyWebhook(headersOf(), body, secret), parsed);
  assert.deepEqual(await verifyWebhook(new Headers(headersOf()), Buffer.from(body), secret), parsed, 'of the Web');
  const capitals = Object.entries(headersOf()).map(([name, value]) => [
    name.replace(/\b\w/g, (c) => c.toUpperCase()),
    [value],
  ]);
  assert.deepEqual(await verifyWebhook(Object.fromEntries(capitals), body, secret), parsed, 'names in any case');
  const other = createHmac('sha256', 'another').update(`${EXAMPLE.id}.${EXAMPLE.timestamp}.${body}`).digest('base64');
  const rotated = `v1,${other} v1a,${other} ${EXAMPLE.signature}`;
  assert.deepEqual(await verifyWebhook(headersOf(rotated), body, secret), parsed, 'several signatures');

  const refused = async (reason: RegExp, headers: Record<string, string>, text = body, key = secret) =>
    await assert.rejects(verifyWebhook(headers, text, key), (error) => {
      assert.ok(error instanceof WebhookError);
      assert.match(error.message, reason);
      return true;
    });
  await refused(/No signature/, headersOf(), `${body} `);
  await refused(/No signature/, headersOf(), body, 'whsec_AAAA');
  await refused(/No signature/, headersOf(EXAMPLE.signature.replace('v1,', 'v1a,')));
  for (const wrong of ['', 'v1', 'v1,', 'v1,=', 'v1,g0hM', EXAMPLE.signature.slice(3)])
    await refused(/missing|No signature/, headersOf(wrong));
  for (const name of Object.keys(headersOf())) {
    const headers = headersOf();
    delete headers[name];
    await refused(/missing/, headers);
  }
  for (const timestamp of ['now', '1614265330.5', '-1', '1e9', String(EXAMPLE.timestamp - 301)])
    await refused(/five minutes/, { ...headersOf(), 'webhook-timestamp': timestamp });
  await assert.rejects(verifyWebhook(headersOf(), body, 'not base64!'), TypeError);

  for (const [ms, isPresent] of [
    [300_000, true],
    [300_001, false],
    [-300_000, true],
    [-300_001, false],
  ] as const) {
    t.mock.timers.setTime(EXAMPLE.timestamp * 1000 + ms);
    if (isPresent) assert.deepEqual(await verifyWebhook(headersOf(), body, secret), parsed);
    else await refused(/five minutes/, headersOf());
  }
});

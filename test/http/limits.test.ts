import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Limit } from '#http/limit.ts';
import { LIMITS } from '#http/limits.ts';
import { rateLimit } from '#http/rate-limits.ts';
import { readConfig, SETTINGS } from '#platform/config/config.ts';

const config = readConfig({});

const docs = (name: string): string =>
  readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8').replaceAll(/\s+/g, ' ');

const minutes = (ms: number): number => ms / 60_000;
const number = (value: number): string => value.toLocaleString('en');

test('every setting of a limit is in the table', () => {
  const named = Object.values<Limit>(LIMITS).flatMap(({ max }) => Object.values(max));
  const settings = Object.keys(SETTINGS).filter((name) => name.endsWith('_LIMIT'));
  assert.deepEqual(new Set(named.filter((max) => typeof max === 'string')), new Set(settings));
});

test('a limit has the value of its setting', () => {
  const changed = { ...config, SIGN_IN_LIMIT: 7 };
  assert.deepEqual(rateLimit(changed, 'signIn', 'network'), { max: 7, windowMs: 3_600_000 });
  assert.deepEqual(rateLimit(changed, 'pushedSignIn', 'application'), { max: 70, windowMs: 3_600_000 });
  assert.deepEqual(rateLimit(changed, 'ownerInvitation', 'account'), { max: 30, windowMs: 86_400_000 });
});

test('the documents name the limits of the table', () => {
  const { wrongPassword, wrongPasswordAnywhere, accessMail, openRequest, heldMebibyte, parsedRefusal } = LIMITS;
  const { max: exports } = rateLimit(config, 'export', 'accountInNetwork');
  const sentences: Record<string, string[]> = {
    'signin.md': [
      `its own ${wrongPassword.max.knownBrowser} wrong passwords an hour`,
      `have ${wrongPassword.max.otherBrowsers} wrong passwords an hour together`,
      `has ${wrongPasswordAnywhere.max.network} wrong passwords in ${minutes(wrongPasswordAnywhere.windowMs)} minutes`,
      `one link of a kind in ${minutes(accessMail.windowMs)} minutes`,
      `at most ${exports} times an hour`,
      `at most ${number(config.TOKEN_LIMIT)} tokens an hour`,
      `At most ${config.LIVE_TOKEN_LIMIT} tokens`,
      `an hour, ${number(config.SIGN_IN_LIMIT)} by default`,
    ],
    'ingest.md': [
      `\`INGEST_WEIGHT_LIMIT\` (${number(config.INGEST_WEIGHT_LIMIT)})`,
      `\`INGEST_LIMIT\` (${config.INGEST_LIMIT}, the default: no limit)`,
      `or ${parsedRefusal.max.server} requests have exceeded it`,
      `has ${openRequest.max.server} open requests, or holds ${heldMebibyte.max.server} MiB`,
      `\`NEW_PLAYERS_LIMIT\` (${number(config.NEW_PLAYERS_LIMIT)} an hour)`,
      `\`SERVER_LIMIT\` (${number(config.SERVER_LIMIT)} requests an hour`,
    ],
  };
  for (const [name, expected] of Object.entries(sentences))
    for (const sentence of expected) assert.ok(docs(name).includes(sentence), `${name}: ${sentence}`);
});

import assert from 'node:assert/strict';
import { MATCH_INDEXES } from '#store/game/match-lists.ts';
import { onSqlite, testContext } from '#test/support/context.ts';
import { page } from './request.ts';

const GUIDES = ['', '/sign-in', '/rules', '/lists', '/changes', '/webhooks', '/ingest', '/deprecation'];

/** The body of a guide without its texts: elements with their ids and addresses, and code. */
function partsOf(text: string): string[] {
  const body = /<div class="prose">.*?<\/main>/s.exec(text)![0].replaceAll(/ data-\w+="[^"]*"/g, '');
  return body.match(/<(?!\/|code|bdi)[^>]+>|<pre.*?<\/pre>/gs)!;
}

onSqlite(
  'the guides for developers have the same parts in both languages, and all placeholders a value',
  async (t, url) => {
    const context = await testContext(t, url, { NETWORK_NAME: 'Gullwing [Quay](/console) | `x`' });
    for (const guide of GUIDES) {
      const path = `/developers${guide}`;
      const [en, ja] = [await page(context, `${path}?lang=en`), await page(context, `${path}?lang=ja`)];
      assert.deepEqual(partsOf(ja), partsOf(en), path);
      for (const text of [en, ja]) assert.doesNotMatch(text, /@\w+@/, path);
    }
  },
);

onSqlite('a guide shows Markdown as elements, and the name of the network as it is', async (t, url) => {
  const context = await testContext(t, url, { NETWORK_NAME: 'Gullwing [Quay](/console) | `x`' });
  const start = await page(context, '/developers');
  assert.match(start, /<p class="lead">[^<]* of Gullwing \[Quay\]\(\/console\) \| `x` as JSON/);
  assert.match(start, /<a class="button" href="\/console">Open the console<\/a>/);
  assert.match(start, /<h2 id="client">With the client library<\/h2>/);
  const webhooks = await page(context, '/developers/webhooks');
  assert.match(webhooks, /<th scope="row">429; 503 with <code>Retry-After<\/code><\/th>/);
  assert.match(webhooks, /<code>feed\.reset<\/code> is never skipped/);
});

onSqlite('the guide to lists names the pairs of filters that the API accepts', async (t, url) => {
  const context = await testContext(t, url);
  const rows = (await page(context, '/developers/lists')).matchAll(
    /<th scope="row">(\w+)<\/th>\s*<td[^>]*>(.*?)<\/td>/gs,
  );
  const named = [...rows].flatMap(([, first, others]) => {
    return ['gamemode', 'ranked', 'since', 'team']
      .filter((name) => others!.includes(`<code>${name}</code>`))
      .map((name) => `${first} ${name}`);
  });
  const pairs = Object.keys(MATCH_INDEXES).filter((names) => names.includes(' '));
  assert.deepEqual(
    named,
    pairs.map((names) => names.replace('time', 'since')).toSorted((a, b) => named.indexOf(a) - named.indexOf(b)),
  );
});

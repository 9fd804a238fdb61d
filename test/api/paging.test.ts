import assert from 'node:assert/strict';
import { testApi } from '#test/support/api.ts';
import { ask, type Reply } from '#test/support/request.ts';
import { configured, map, match, person, punishment, sendEvents } from '#test/support/builders.ts';
import { onEachDatabase, onSqlite } from '#test/support/context.ts';

const PEOPLE = [person(1), person(2)] as const;
const LISTS = ['/v1/matches', '/v1/maps', '/v1/punishments', `/v1/players/${person(1).uuid}/punishments`] as const;

const idsIn = ({ json, text }: Reply): string[] => {
  assert.ok(Array.isArray(json), text);
  return json.map(({ id }: { id: string }) => id);
};

onEachDatabase('lists are paged by limit and max_id, newest first', async (t, url) => {
  const { context, get } = await testApi(t, url);
  const all: Record<string, string[]> = { '/v1/maps': [], '/v1/matches': [], '/v1/punishments': [] };
  await sendEvents(context, configured('Alpha'));
  for (let number = 0; number < 105; number++) {
    if (number % 21 === 0) context.clock.advance(1000);
    const events = [map(`Map ${number}`), match(), punishment(`p${number}`, PEOPLE[number % 7 === 0 ? 1 : 0])];
    const ids = await sendEvents(context, ...events);
    ['/v1/maps', '/v1/matches', '/v1/punishments'].forEach((list, place) => all[list]!.unshift(ids[place]!));
  }
  all[LISTS[3]] = all['/v1/punishments']!.filter((_, place) => (104 - place) % 7 !== 0);

  for (const list of LISTS) {
    const newest = all[list]!;
    const ids = async (query: string): Promise<string[]> => idsIn(await get(`${list}?${query}`));

    await t.test(`${list}: ids have a fixed width, are lower case and increase`, () => {
      for (const id of newest) assert.match(id, /^[0-9a-z]{11}$/);
      assert.deepEqual(newest, [...newest].sort().reverse());
    });

    await t.test(`${list}: the default limit is 20 and the maximum is 100`, async () => {
      assert.deepEqual(await ids(''), newest.slice(0, 20));
      assert.deepEqual(await ids('limit=&max_id='), newest.slice(0, 20));
      for (const limit of [1, 2, 19, 20, 21, 99, 100]) {
        const expected = newest.slice(0, limit);
        assert.deepEqual(await ids(`limit=${limit}`), expected);
      }
      for (const limit of ['101', '1000', '99999999999999999999999999', '00100', '9'.repeat(3000)])
        assert.deepEqual(await ids(`limit=${limit}`), newest.slice(0, 100), limit);
      assert.deepEqual(await ids('limit=007'), newest.slice(0, 7));
    });

    await t.test(`${list}: an invalid limit is refused with an error that names the parameter`, async () => {
      const wrong = [
        '0',
        '-1',
        '1.5',
        '1.0',
        '1e2',
        '0x10',
        'ten',
        '+5',
        ' 5',
        '5 ',
        'NaN',
        '٣',
        '5,6',
        '0'.repeat(50),
      ];
      for (const limit of [...wrong.map(encodeURIComponent), '+5', '%00', '%FF', '5&limit=5']) {
        const reply = await get(`${list}?limit=${limit}`);
        assert.equal(reply.status, 400, `${limit}: ${reply.text}`);
        assert.equal(reply.json.error, 'invalid_request');
        assert.match(reply.json.error_description, /^limit must /);
      }
      assert.deepEqual(await ids('limit'), newest.slice(0, 20), 'an empty one counts as not given');
    });

    await t.test(`${list}: max_id gives strictly smaller ids, compared as text`, async () => {
      const middle = newest[50]!;
      assert.deepEqual(await ids(`max_id=${middle}&limit=3`), newest.slice(51, 54));
      assert.deepEqual(await ids(`max_id=${newest.at(-1)}`), []);
      assert.deepEqual(await ids(`max_id=${newest.at(-2)}`), [newest.at(-1)]);
      for (const [bound, start] of [
        ['0', newest.length],
        ['', 0],
        ['zzz', 0],
        ['~', 0],
        ['%F0%9F%8E%AE', 0],
        ['%20', newest.length],
        ['A', 0],
        [`${middle}0`, 50],
        [`${middle}%20`, 50],
        [middle.slice(0, -1), newest.findIndex((id) => id < middle.slice(0, -1))],
        ['z'.repeat(64), 0],
      ] as const) {
        const expected = start < 0 ? [] : newest.slice(start, start + 5);
        assert.deepEqual(await ids(`max_id=${bound}&limit=5`), expected, bound);
      }
    });

    await t.test(`${list}: a max_id that cannot be an id is refused`, async () => {
      for (const bound of ['z'.repeat(65), '%00', 'a%0Ab', '%1F', '%7F', '%', '%E4', '%ED%A0%80', 'a&max_id=a']) {
        const reply = await get(`${list}?max_id=${bound}`);
        assert.equal(reply.status, 400, bound);
        assert.match(reply.json.error_description, /^max_id must /);
      }
    });

    await t.test(`${list}: paging by the last id returns every item once`, async () => {
      const paged: string[] = [];
      for (let page = await ids('limit=40'); page.length > 0; page = await ids(`limit=40&max_id=${page.at(-1)}`))
        paged.push(...page);
      assert.deepEqual(paged, newest);
    });
  }
});

onSqlite(
  'a repeated `fields` is one list, and parameters that an endpoint ignores are named in a header',
  async (t, url) => {
    const { context, get, origin } = await testApi(t, url);
    await sendEvents(context, configured('Alpha'), match({}));
    const both = (await get('/v1/matches?fields=teams,objectives')).json;
    assert.ok('objectives' in both[0] && 'teams' in both[0]);
    for (const query of [
      'fields=teams&fields=objectives',
      'fields=&fields=teams%2Cobjectives',
      'fields=objectives&fields=teams',
    ])
      assert.deepEqual((await get(`/v1/matches?${query}`)).json, both, query);
    const wrong = await get('/v1/matches?fields=teams&fields=nothing');
    assert.match(`${wrong.status} ${wrong.json.error_description}`, /^400 fields must be a comma-separated list/);
    const twice = await get('/v1/matches?limit=1&limit=2');
    assert.match(`${twice.status} ${twice.json.error_description}`, /^400 limit must not be given more than once/);

    const named = async (query: string) => (await get(`/v1/matches${query}`)).headers['x-ignored-parameters'];
    for (let times = 0; times < 3; times++)
      assert.equal(await named('?colour=X&page=2&limit=5&page=3'), 'colour, page', 'also from the cache');
    assert.equal(await named('?limit=5&max_id='), undefined);
    assert.equal(await named('?a%0d%0ab=1&%ED%A0%80=2&=3&%F0%9F%8E%AE'), 'a%0D%0Ab, %25ED%25A0%2580, %F0%9F%8E%AE');
    assert.match((await get('/v1/matches?limit=0&page=2')).headers['x-ignored-parameters'] as string, /^page$/);
    const byClient = await ask(origin, `/v1/servers?client_id=none&page=1`);
    assert.equal(byClient.headers['x-ignored-parameters'], 'page');
    assert.match(byClient.headers['access-control-expose-headers'] as string, /X-Ignored-Parameters/);
  },
);

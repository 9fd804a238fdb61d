import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseEach, parseOne, TOO_MANY } from '#events/ingest/json.ts';

const REPEATED = { problem: 'names the same member twice in one object' };
const MOST = 10;
const bytesOf = (text: string): Buffer => Buffer.from(text);

/** Parses a body as `POST /events` does. */
function parseAll(bytes: Buffer, most: number) {
  const elements = parseEach(bytes, most);
  if (elements === TOO_MANY) return { problem: 'has too many elements' };
  return elements === undefined ? parseOne(bytes) : { raw: [...elements] };
}

/** Any JSON value, with members named `data` at every depth. */
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, 0, -1.5, 1e21, '', 'data', 'é"\\\u2028'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('data', 'id', '2', '1', '__proto__', 'toJSON'), tie('value'), { maxKeys: 4 }),
  ),
}));

const spaces = fc.constantFrom(undefined, 1, '\t');

function expected(input: unknown) {
  const data = (input as { data?: unknown } | null)?.data;
  return typeof data === 'object' ? { input, data: JSON.stringify(data) } : { input };
}

test('parsing returns the value and the JSON of its data', () => {
  fc.assert(
    fc.property(value, spaces, (written, space) => {
      const text = JSON.stringify(written, undefined, space);
      const read = JSON.parse(text);
      assert.deepEqual(parseOne(bytesOf(text)), { raw: expected(read) });
      assert.deepEqual(parseAll(bytesOf(text), MOST), {
        raw: Array.isArray(read) ? read.map(expected) : expected(read),
      });
    }),
  );
});

test('a repeated member is found wherever it is', () => {
  for (const inner of [
    '{"a":1,"a":2}',
    '{"data":{"a":[{"b":1,"b":1}]}}',
    '{"data":1,"data":{}}',
    '{"data":{},"data":{}}',
    '{"a":1,"a":1e8}',
    '{"data":{"a":1,"a":1e8}}',
    '{"a":1,"\\u0061":1e13}',
    '{"\\ud83d\\ude00":1,"😀":1}',
    '{"1":1,"0":2,"1":1}',
    '{"__proto__":1,"__proto__":{}}',
    '{"":[],"":[]}',
    '{"a:":"\\":","a:":1}',
  ]) {
    for (const text of [
      inner,
      `[${inner}]`,
      `[{"data":{}},${inner}]`,
      `{"data":[ ${inner} ]}`,
      `{"x":${inner}, "data":{}}`,
    ]) {
      assert.deepEqual(parseOne(bytesOf(text)), REPEATED, text);
      assert.deepEqual(problemIn(parseAll(bytesOf(text), MOST)), REPEATED, text);
    }
  }
});

/** The problem of a parsed body, or of the first element that has one. */
function problemIn(parsed: ReturnType<typeof parseAll>): { problem: string } | undefined {
  if ('problem' in parsed) return parsed;
  const elements = Array.isArray(parsed.raw) ? parsed.raw : [parsed.raw];
  for (const element of elements) if ('problem' in element) return { problem: element.problem };
  return undefined;
}

test('in an array an element that is not valid affects no other', () => {
  const good = '{"id":"a,]","data":{"x":["\\"",1]}}';
  const input: unknown = JSON.parse(good);
  const event = { input, data: JSON.stringify((input as { data: unknown }).data) };
  for (const [bad, element] of [
    ['nonsense', { problem: 'is not JSON' }],
    ['', { problem: 'is empty' }],
    ['{"id":"x" "data":{}}', { problem: 'is not JSON: see character 12' }],
    ['{"id":"x","id":"y"}', { ...REPEATED, input: { id: 'y' } }],
  ] as const) {
    assert.deepEqual(parseAll(bytesOf(` [${good}, ${bad},${good}]\n`), MOST), { raw: [event, element, event] }, bad);
  }
  for (const text of ['[{},nonsense', '[{},]}]', '[{},"]', '{"a":1,}', `[${'x,'.repeat(MOST)}x]`, 'x'])
    assert.ok('problem' in parseAll(bytesOf(text), MOST), text);
  assert.ok('raw' in parseAll(bytesOf(`[${'x,'.repeat(MOST - 1)}x]`), MOST));
});

/** JSON text whose objects may repeat a member, and whether one does. */
interface Written {
  text: string;
  repeats: boolean;
}

const name = fc.constantFrom('"a"', '"\\u0061"', '"data"', '"1"', '"0"', '"__proto__"', '":"', '"\\":"', '""');
const scalar = fc.constantFrom('1', '1e8', '1.0', '-0', '100000000', 'null', 'true', '"a"', '":{"', '"\\\\"', '"\\""');
const space = fc.constantFrom('', '', '', ' ', '\n\t');

const { json } = fc.letrec<{ json: Written }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    scalar.map((text) => ({ text, repeats: false })),
    fc.tuple(fc.array(tie('json'), { maxLength: 3 }), space).map(([items, gap]) => ({
      text: `[${items.map(({ text }) => text).join(`,${gap}`)}]`,
      repeats: items.some(({ repeats }) => repeats),
    })),
    fc.tuple(fc.array(fc.tuple(name, tie('json')), { maxLength: 3 }), space).map(([members, gap]) => ({
      text: `{${members.map(([key, { text }]) => `${key}${gap}:${gap}${text}`).join(`${gap},`)}}`,
      repeats:
        new Set(members.map(([key]) => JSON.parse(key))).size < members.length ||
        members.some(([, { repeats }]) => repeats),
    })),
  ),
}));

test('repeated members are found exactly where comparing the names of each object finds them', () => {
  fc.assert(
    fc.property(json, ({ text, repeats }) => {
      const bodies = [parseOne(bytesOf(text)), parseAll(bytesOf(text), MOST), parseOne(bytesOf(`{"data":${text}}`))];
      for (const parsed of bodies) assert.deepEqual(problemIn(parsed), repeats ? REPEATED : undefined, text);
    }),
    { numRuns: 1000 },
  );
});

test('different spellings of the same value are not repeated members', () => {
  for (const text of [
    '{"data":{"n":1.0}}',
    '{"a":1e8}',
    '{"2":1,"1":"\\":"}',
    '{ "data": {"\\u0061":1}}',
    '[1.50,{"data":{"a":"\\u0061"}}]',
    '[ ]',
    '[]',
  ]) {
    assert.ok('raw' in parseAll(bytesOf(text), MOST), text);
  }
});

test('deeply nested values are parsed', () => {
  const depth = 200_000;
  for (const [open, close] of [
    ['[', ']'],
    ['{"1":', '}'],
    ['{"data":', '}'],
  ] as const) {
    const deep = `${open.repeat(depth)}0${close.repeat(depth)}`;
    for (const text of [deep, `{"data":${deep}}`, `[{"data":${deep}}]`])
      assert.ok('raw' in parseAll(bytesOf(text), MOST));
  }
});

test('large bodies are parsed in linear time', () => {
  const length = 1_000_000;
  const text = `{"data":{"x":"${'\\"'.repeat(length)}",${' '.repeat(length)}"y":[${'1.0,'.repeat(length)}1]}}`;
  const before = process.cpuUsage();
  assert.ok('raw' in parseOne(bytesOf(text)));
  assert.ok(process.cpuUsage(before).user < 10_000_000);
});

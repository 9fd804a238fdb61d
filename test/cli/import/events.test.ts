import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { importEvents, linesOf } from '#cli/import/events.ts';
import { reportAll, type Reported } from '#test/packages/importers/fixtures.ts';

const login = (id: string) =>
  JSON.stringify({
    version: 1,
    id,
    type: 'player.login',
    time: '2026-01-01T00:00:00Z',
    server: 'Fen',
    data: { player: { uuid: '11111111-2222-4333-8444-555555555555', name: 'Ann' } },
  });

async function* chunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const read = (text: string, size = 7): Promise<Reported> =>
  reportAll(importEvents(chunks(Buffer.from(text), size), 'x.ndjson'));

test('each line is an event; a byte order mark, carriage returns and empty lines are ignored', async () => {
  const { events, refusals } = await read(`\ufeff${login('a')}\r\n\n  \r\n${login('b')}\n${login('c')}`);
  assert.deepEqual(
    events.map(({ id }) => id),
    ['a', 'b', 'c'],
  );
  assert.deepEqual(refusals, []);
});

test('a bad line is refused with its number and does not stop the rest', async () => {
  const { events, refusals } = await read(
    `${login('a')}\n{"version":1,\nnull\n${login('b').replace('Ann', '')}\n${login('c')}\n`,
  );
  assert.deepEqual(
    events.map(({ id }) => id),
    ['a', 'c'],
  );
  assert.match(refusals[0]!, /^x\.ndjson, line 2: is not JSON: /);
  assert.match(refusals[1]!, /^x\.ndjson, line 3: /);
  assert.match(refusals[2]!, /^x\.ndjson, line 4: `data\.player\.name` /);
});

test('a line that repeats a member name is refused, because JSON parsers disagree on its meaning', async () => {
  const twice = login('b').replace('"name":"Ann"', '"name":"Ann","name":"Bob"');
  const { events, refusals } = await read(`${login('a')}\n${twice}\n${login('c').replaceAll('":', '" : ')}`);
  assert.deepEqual(
    events.map(({ id }) => id),
    ['a', 'c'],
  );
  assert.deepEqual(refusals, ['x.ndjson, line 2: names the same member twice in one object']);
});

test('a line that is too long is refused without being buffered', async () => {
  const long = `{"x":"${'y'.repeat(16_777_216)}"}`;
  const { events, refusals } = await read(`${long}\n${login('a')}\n${long}`, 65_536);
  assert.equal(events.length, 1);
  assert.deepEqual(refusals, [
    'x.ndjson, line 1: is longer than 16777216 bytes',
    'x.ndjson, line 3: is longer than 16777216 bytes',
  ]);
});

test('invalid UTF-8 and deeply nested JSON are refused', async () => {
  const bytes = Buffer.concat([Buffer.from([0xff, 0x0a]), Buffer.from(`${'['.repeat(500_000)}\n${login('a')}`)]);
  const { events, refusals } = await reportAll(importEvents(chunks(bytes, 65_536), 'x'));
  assert.equal(events.length, 1);
  assert.equal(refusals[0], 'x, line 1: is not UTF-8 text');
  assert.match(refusals[1]!, /^x, line 2: is not JSON/);
});

test('lines do not depend on how the bytes are split into chunks', async () => {
  const text = fc.array(
    fc.string({ unit: 'grapheme', maxLength: 12 }).filter((line) => !/[\r\n\ufeff]/.test(line)),
    { minLength: 1 },
  );
  await fc.assert(
    fc.asyncProperty(text, fc.integer({ min: 1, max: 9 }), async (lines, size) => {
      const found: unknown[] = [];
      for await (const line of linesOf(chunks(Buffer.from(lines.join('\n')), size), 200)) found.push(line);
      assert.deepEqual(found, lines.at(-1) === '' ? lines.slice(0, -1) : lines);
    }),
  );
});

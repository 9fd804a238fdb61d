import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { linesOf } from '#agent/log-files.ts';

const MAX_LINE = 64 * 1024;

/** The lines that are read in rounds, each of which continues the one before. */
async function readInRounds(bytes: Buffer, part: number, mostChunks: number) {
  const read = async function* (offset: number): AsyncGenerator<Buffer> {
    for (let at = offset; at < bytes.length; at += part) yield bytes.subarray(at, at + part);
  };
  const found: { offset: number; length: number }[] = [];
  for (let position = 0, before = -1; position !== before;) {
    before = position;
    let chunks = 0;
    for await (const { lines, end } of linesOf(read, position, MAX_LINE)) {
      found.push(...lines.map(({ offset, text }) => ({ offset, length: text.length })));
      position = end;
      if (++chunks === mostChunks) break;
    }
  }
  return found;
}

test('lines are read once, whatever the rounds and the length of the lines', async () => {
  const length = fc.oneof({ weight: 4, arbitrary: fc.nat(300) }, fc.integer({ min: MAX_LINE - 2, max: 8 * MAX_LINE }));
  await fc.assert(
    fc.asyncProperty(
      fc.array(length, { maxLength: 12 }),
      fc.boolean(),
      fc.constantFrom(MAX_LINE, 100_003),
      fc.integer({ min: 1, max: 3 }),
      async (lengths, isComplete, part, mostChunks) => {
        const text = lengths.map((count) => 'x'.repeat(count)).join('\n') + (isComplete ? '\n' : '');
        const complete = isComplete ? lengths : lengths.slice(0, -1);
        let offset = 0;
        const expected = complete.flatMap((count) => {
          const line = { offset, length: count };
          offset += count + 1;
          return count <= MAX_LINE ? [line] : [];
        });
        const found = await readInRounds(Buffer.from(text), part, mostChunks);
        // Without any line there is no newline that ends the text.
        assert.deepEqual(found, text === '\n' ? [{ offset: 0, length: 0 }] : expected);
      },
    ),
    { numRuns: 40 },
  );
});

test('a line without an end is passed over and not stored', async () => {
  const part = Buffer.alloc(MAX_LINE, 'x');
  let read = 0;
  const endless = async function* (): AsyncGenerator<Buffer> {
    for (; read < 100 * MAX_LINE; read += part.length) yield part;
    assert.fail('stored as a whole');
  };
  const ends: number[] = [];
  for await (const { lines, end } of linesOf(endless, 0, MAX_LINE)) {
    assert.deepEqual(lines, []);
    ends.push(end);
    break;
  }
  assert.ok(ends[0]! <= 5 * MAX_LINE, String(ends[0]));
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { EventStreamParser, type StreamEvent } from '#client/event-stream.ts';

const parse = (...chunks: Uint8Array[]): StreamEvent[] => {
  const parser = new EventStreamParser();
  return chunks.flatMap((chunk) => parser.push(chunk));
};

const EXAMPLES: [text: string, events: StreamEvent[]][] = [
  // The examples of the HTML Standard, section 9.2.6.
  ['data: YHOO\ndata: +2\ndata: 10\n\n', [{ id: '', event: 'message', data: 'YHOO\n+2\n10' }]],
  [
    ': test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n',
    [
      { id: '1', event: 'message', data: 'first event' },
      { id: '', event: 'message', data: 'second event' },
    ],
  ],
  [
    'data\n\ndata\ndata\n\ndata:',
    [
      { id: '', event: 'message', data: '' },
      { id: '', event: 'message', data: '\n' },
    ],
  ],
  ['event: add\r\ndata: 73857293\r\n\r\n', [{ id: '', event: 'add', data: '73857293' }]],
  ['\ufeffid: a\revent: change\rdata: 日本\r\r', [{ id: 'a', event: 'change', data: '日本' }]],
  ['event: reset\n\nid: \0\ndata: x\n\n', [{ id: '', event: 'message', data: 'x' }]],
];

test('event streams are read as the HTML Standard says, wherever a chunk ends', () => {
  for (const [text, events] of EXAMPLES) {
    const bytes = new TextEncoder().encode(`${text}:\n`);
    assert.deepEqual(parse(bytes), events, JSON.stringify(text));
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: bytes.length })), (cuts) => {
        const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
        const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
        assert.deepEqual(parse(...chunks), events);
      }),
      { numRuns: 50 },
    );
  }
});

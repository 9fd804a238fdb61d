import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { identifier, join, list, row, type Sql, sql, statementText, type Value } from '#db/sql.ts';

const statement = (value: number): Sql => sql`select ${value}`;
const shown = (query: Sql): string => statementText(query, new WeakMap(), (place) => `$${place}`);

test('a template becomes text with placeholders', () => {
  const query = sql`select ${1} + ${'x'}, ${null}`;
  assert.equal(shown(query), 'select $1 + $2, $3');
  assert.deepEqual(query.values, [1, 'x', null]);
  assert.equal(shown(sql`select 1`), 'select 1');
});

test('nested statements are merged, with their values in order', () => {
  const inner = sql`b = ${2} and ${sql`c = ${3}`}`;
  const query = sql`${sql`a = ${1}`} and ${inner}${sql``} or ${sql`d`} = ${4}`;
  assert.equal(shown(query), 'a = $1 and b = $2 and c = $3 or d = $4');
  assert.deepEqual(query.values, [1, 2, 3, 4]);
});

const template = (first: Sql | Value, second: Sql | Value): Sql => sql`x ${first} y ${second} z`;
const isStatement = (part: Sql | Value): part is Sql => typeof part === 'object';
const textIn = (part: Sql | Value): string => (isStatement(part) ? part.strings.join('?') : '?');
const valuesIn = (part: Sql | Value): readonly Value[] => (isStatement(part) ? part.values : [part]);

function numbered(text: string): string {
  let place = 0;
  return text.replace(/\?/g, () => `$${++place}`);
}

test('a template may nest different statements; nesting the same ones again yields the same array of pieces', () => {
  const parts = [sql`a = ${1}`, sql`b`, sql``, sql`c = ${2} or d = ${sql`e + ${3}`}`];
  const part = fc.oneof(fc.constantFrom(...parts), fc.integer());
  fc.assert(
    fc.property(part, part, (first, second) => {
      const query = template(first, second);
      assert.equal(shown(query), numbered(`x ${textIn(first)} y ${textIn(second)} z`));
      assert.deepEqual(query.values, [...valuesIn(first), ...valuesIn(second)]);
      const again = template(typeof first === 'number' ? first + 1 : first, second);
      assert.equal(again.strings, query.strings);
    }),
  );
});

test('input never becomes part of the SQL text', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (a, b) => {
      const query = sql`select ${a} ${sql`where x in (${list([b])})`}`;
      assert.equal(shown(query), 'select $1 where x in ($2)');
      assert.deepEqual(query.values, [a, b]);
    }),
  );
  for (const name of ['', 'a b', 'a;', 'A', '1a', 'a"', 'drop table x'])
    assert.throws(() => identifier(name), TypeError);
  assert.equal(shown(sql`select ${identifier('name_key')} from x`), 'select name_key from x');
});

test('values that drivers convert differently are refused', () => {
  const wrong = [undefined, new Date(0), true, false, NaN, Infinity, {}, [], Symbol('x'), () => 1] as unknown[];
  for (const value of wrong as Value[]) {
    assert.throws(() => sql`select ${value}`, TypeError);
    assert.throws(() => sql`select ${value} ${sql`x`}`, TypeError);
    assert.throws(() => list([1, value]), TypeError);
    assert.throws(() => row([value]), TypeError);
  }
  const right = [null, '', 'x', 0, -1.5, 2n, new Uint8Array(2)];
  assert.deepEqual(row(right).values, right);
});

test('a list is padded to a power of two, so that few different statements are prepared', () => {
  const widths = new Set<number>();
  for (let count = 1; count <= 100; count++) {
    const values = Array.from({ length: count }, (_, value) => value);
    const { values: padded, strings } = list(values);
    assert.deepEqual(padded.slice(0, count), values);
    assert.ok(padded.slice(count).every((value) => value === count - 1));
    assert.equal(strings.length, padded.length + 1);
    widths.add(padded.length);
  }
  assert.deepEqual([...widths], [1, 2, 4, 8, 16, 32, 64, 128]);
  assert.equal(shown(sql`x in (${list([])})`), 'x in (null)');
});

test('rows and parts are joined with their separator', () => {
  assert.equal(shown(join([row([1, 2]), row([3, 4])])), '($1, $2), ($3, $4)');
  assert.equal(shown(join([sql`a = ${1}`, sql`b`], ' and ')), 'a = $1 and b');
  assert.equal(shown(join([])), '');
});

test('the text of a template literal is cached', () => {
  const cached = new WeakMap<readonly string[], string>();
  let written = 0;
  const placeholder = (): string => `?${++written}`;
  assert.equal(statementText(statement(1), cached, placeholder), statementText(statement(2), cached, placeholder));
  assert.equal(written, 1);
});

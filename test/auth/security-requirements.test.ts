import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

const DOCUMENT = 'docs/security-requirements.md';

/** The number of requirements of levels 1 and 2 in each section of ASVS 5.0, and of attacks in section 4 of RFC 9700. */
const SECTIONS: Record<string, number> = {
  ...{ '4': 17, '6.1': 3, '6.2': 12, '6.3': 4, '6.4': 4, '6.5': 5, '6.6': 3, '6.8': 4 },
  ...{ '7.1': 3, '7.2': 4, '7.3': 2, '7.4': 5, '7.5': 2, '7.6': 2 },
  ...{ '10.1': 2, '10.2': 2, '10.3': 4, '10.4': 11, '10.5': 5, '10.6': 2, '10.7': 3 },
};

const rows = [...readFileSync(DOCUMENT, 'utf8').matchAll(/^\| (\d[\d.]*) +\| (.*?) +\| (.*?) +\|$/gm)].map(
  ([, number, requirement, proof]) => ({ number: number!, requirement: requirement!, proof: proof!.split('<br>') }),
);

test('the table of security requirements has every number once', () => {
  const expected = Object.entries(SECTIONS).flatMap(([section, count]) =>
    Array.from({ length: count }, (_, index) => `${section}.${index + 1}`),
  );
  assert.deepEqual(
    rows.map(({ number }) => number),
    expected,
  );
});

test('each test that the table of security requirements names exists', () => {
  const texts = new Map<string, string>();
  for (const { number, proof } of rows)
    for (const part of proof) {
      const [, file, title] = /^`(test\/[^`]+)`: (.+)$/.exec(part.replace(/: `([^`]+)`$/, ': $1')) ?? [];
      if (file === undefined || title === undefined) continue;
      assert.ok(existsSync(file), `${number}: ${file}`);
      if (!texts.has(file)) texts.set(file, readFileSync(file, 'utf8'));
      const isTitle = ["'", '`'].some((quote) => texts.get(file)!.includes(quote + title + quote));
      assert.ok(isTitle, `${number}: ${file} has no test “${title}”`);
    }
});

test('each security requirement has a test or a reason', () => {
  const unproved = rows.filter(({ proof }) => proof.join('').length < 15).map(({ number }) => number);
  const open = rows.filter(({ proof }) => proof.some((part) => part.includes('**open**'))).map(({ number }) => number);
  assert.deepEqual({ unproved, open }, { unproved: [], open: [] }, 'fill in the rows');
});

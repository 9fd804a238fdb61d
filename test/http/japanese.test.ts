import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

const KANA_OR_KANJI = '[ぁ-んァ-ヴー一-龠々]';

/** What the Japanese texts avoid, and what they say instead. */
const RULES: readonly (readonly [found: RegExp, instead: string])[] = [
  [new RegExp(`${KANA_OR_KANJI}[A-Za-z0-9]|[A-Za-z0-9%]${KANA_OR_KANJI}`), 'a space beside Latin letters and digits'],
  [
    new RegExp(`${KANA_OR_KANJI}\\$\\{(?!done\\})|\\$\\{(?!done\\})\\w+\\}${KANA_OR_KANJI}`),
    'a space beside what is inserted',
  ],
  [new RegExp(`${KANA_OR_KANJI}: `), '：'],
  [/処罰/, '処分'],
  [/運営(?!者)/, '運営者'],
  [/ネットワークが(まだ)?知/, '記録のある, 記録のない'],
];

test('Japanese texts have one spelling: spaces, colons, and the words for staff and punishments', () => {
  const files = globSync('src/**/text{,s}/ja*.ts').concat('src/http/game-texts/ja.ts');
  assert.ok(files.length > 10, 'the files of texts');
  const faults = files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line) => [...line.matchAll(/'[^']*'|`[^`]*`/g)].map(([text]) => text.slice(1, -1)))
      .flatMap((text) => RULES.filter(([found]) => found.test(text)).map((rule) => `${file}: ${text} (${rule[1]})`)),
  );
  assert.deepEqual(faults, []);
});

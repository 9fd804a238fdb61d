import assert from 'node:assert/strict';
import { execSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { breachedPasswordsFile, countBreached, isBreached } from '#platform/crypto/breached-passwords.ts';
import { scorehall, scorehallWith } from './scorehall.ts';

/**
 * The first lines of Pwned Passwords, version 8, ordered by hash (https://haveibeenpwned.com/Passwords); they end with CR LF.
 * Its second hash begins with the same bytes as the first.
 */
const PWNED = [
  '000000005AD76BD555C1D6D771DE417A4B87E4B4:10',
  '00000000A8DAE4228F821FB418F59826079BF368:4',
  '00000000DD7F2A1C68A35673713783CA390C9E93:873',
];

const sha1 = (password: string): string => hash('sha1', password).toUpperCase();

/** So many that some share the two bytes by which the list finds them. */
const KNOWN = Array.from({ length: 3_000 }, (_, index) => `a known password ${index}`);
const places = Map.groupBy(KNOWN, (password) => sha1(password).slice(0, 4));
/** All that share them, and a tenth of the others: each check reads a file. */
const CHECKED = KNOWN.filter(
  (password, index) => index % 10 === 0 || places.get(sha1(password).slice(0, 4))!.length > 1,
);

/** A data folder with a list to import. */
function folderWith(t: TestContext, list: string | Buffer) {
  const folder = mkdtempSync(join(tmpdir(), 'passwords-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'list.txt');
  writeFileSync(file, list);
  const settings = { DATA_FOLDER: folder, DATABASE_URL: join(folder, 'none.db') };
  return { folder, file, settings, run: () => scorehall(settings, 'passwords', 'import', file, '--json') };
}

test('a list of sorted SHA-1 hashes refuses its passwords and no others', async (t) => {
  const lines = [...PWNED, ...KNOWN.map((password) => `${sha1(password)}:${password.length}`), PWNED[0]];
  const { folder, run } = folderWith(t, `${lines.toSorted((a, b) => (a! < b! ? -1 : 1)).join('\r\n')}\r\n`);
  const { status, out } = await run();
  const { passwords, bytes } = JSON.parse(out) as { passwords: number; bytes: number };
  assert.deepEqual([status, passwords, bytes], [0, 3_003, 32 + 65_537 * 4 + 3_003 * 4], 'a repeated hash counts once');
  assert.equal(await countBreached(folder), 3_003);
  assert.ok(CHECKED.length > 400, 'some share their place');
  for (const password of CHECKED) assert.ok(await isBreached(folder, password), password);
  for (const password of CHECKED) assert.equal(await isBreached(folder, `${password}!`), false);
  assert.deepEqual(readdirSync(folder).sort(), ['breached-passwords.bin', 'list.txt'], 'nothing temporary is left');
});

test('hashes that are not sorted are refused with the command that sorts them', async (t) => {
  const lines = KNOWN.map((password, index) => (index % 2 ? sha1(password) : sha1(password).toLowerCase()));
  const { folder, file, settings, run } = folderWith(t, `${lines.join('\r\n')}\r\n`);
  const { status, err } = await run();
  const [, sort = ''] =
    /^scorehall: The hashes are not sorted: line \d+ is .* (LC_ALL=C sort -f FILE) \|/.exec(err) ?? [];
  assert.equal(status, 2, err);
  assert.deepEqual(readdirSync(folder), ['list.txt'], 'nothing temporary is left');
  const sorted = execSync(sort.replace('FILE', file), { maxBuffer: 10_000_000, encoding: 'utf8' });
  const { out } = await scorehallWith(sorted, settings, 'passwords', 'import', '-', '--json');
  assert.equal((JSON.parse(out) as { passwords: number }).passwords, 3_000);
  for (const password of CHECKED) assert.ok(await isBreached(folder, password), password);
});

test('a list of plain passwords, from standard input', async (t) => {
  const { folder, settings } = folderWith(t, '');
  const list = 'short\n\ncorrect horse battery\r\npäßword of Zoë\n'.normalize('NFD');
  const { status, out } = await scorehallWith(list, settings, 'passwords', 'import', '-');
  assert.equal(status, 0);
  assert.match(out, /passwords +2\nleft_out +2\n/);
  assert.ok(await isBreached(folder, 'correct horse battery'));
  assert.ok(await isBreached(folder, 'päßword of Zoë'.normalize('NFC')), 'in any normal form');
  assert.equal(await isBreached(folder, 'Correct Horse Battery'), false);
});

test('a list that cannot be imported is refused in a sentence, and the former one stays', async (t) => {
  const { folder, file, settings, run } = folderWith(t, 'a password from before\n');
  await run();
  const wrong: [string | Buffer, RegExp][] = [
    ['', /^scorehall: The list has no password of 10 characters or more\./],
    ['short\n', /no password of 10 characters/],
    [`${PWNED[0]!.slice(8)}\n`, /NTLM hashes\. Take the SHA-1 version/],
    [
      '0005AD76BD555C1D6D771DE417A4B87E4B4:10\n',
      /one of the files by hash prefix\. Download the list as a single file/,
    ],
    [`${PWNED.join('\n')}\nhello\n`, /Line 4 is no SHA-1 hash like that of the first line/],
    [`${PWNED[0]}\n${'0'.repeat(39)}\n`, /Line 2 is no SHA-1 hash/],
    [`${PWNED[0]}\n${'0'.repeat(11)}x${'0'.repeat(28)}\n`, /Line 2 is no SHA-1 hash/],
    [Buffer.alloc(70_000), /no list of passwords: a line has more than 65,536 bytes/],
  ];
  for (const [list, sentence] of wrong) {
    writeFileSync(file, list);
    const { status, err } = await run();
    assert.deepEqual([status, sentence.test(err)], [2, true], err);
    assert.ok(await isBreached(folder, 'a password from before'));
  }
  assert.match((await scorehall(settings, 'passwords', 'import', join(folder, 'no'))).err, /no cannot be read: ENOENT/);
  assert.match((await scorehall(settings, 'passwords', 'import', folder)).err, /cannot be read: EISDIR/);
  assert.match((await scorehall(settings, 'passwords', 'import')).err, /Name one file, or - for standard input/);
});

test('account create refuses a password of the list, and the doctor says whether there is one', async (t) => {
  const { folder, settings, run } = folderWith(t, 'correct horse battery\n');
  const doctor = async (): Promise<string> => (await scorehall(settings, 'doctor')).out;
  assert.match(
    await doctor(),
    /ok +passwords +There is no list of breached passwords; the 3,000 commonest are refused/,
  );
  await run();
  assert.match(await doctor(), /ok +passwords +The list of breached passwords has 1\./);
  const options = ['--name', 'Robin', '--email', 'r@example.org', '--password-stdin'];
  const refused = await scorehallWith('correct horse battery\n', settings, 'account', 'create', ...options);
  assert.deepEqual(
    [refused.status, refused.err],
    [2, 'scorehall: The password is in the list of breached passwords of "passwords import". Choose another one.\n'],
  );
  truncateSync(breachedPasswordsFile(folder), 1_000);
  assert.match(await doctor(), /ERROR +passwords +The list of breached passwords .* cannot be used: .*damaged/);
});

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { allCommands } from '#cli/dispatch.ts';
import { folderOf } from '#test/importers/fixtures.ts';
import { scorehallWith } from './scorehall.ts';

const DOCUMENTS = ['README.md', 'SECURITY.md', ...readdirSync('docs').map((name) => join('docs', name))].filter(
  (file) => file.endsWith('.md'),
);

/**
 * The commands between backquotes, `scorehall WORDS --option VALUE`, and those of blocks, a line each: up to a comment, an
 * ellipsis, an alternative or another command.
 */
function commandsIn(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  const inline = text.replaceAll(/\s+/g, ' ').matchAll(/`scorehall ([a-z][^`|…]*)/g);
  const lines = text.matchAll(/^(?: {4})?scorehall ([a-z][^\n|…#&]*)/gm);
  return [...inline, ...lines].map(([, typed]) => typed!.trim());
}

test('each command in the documents exists, with its options', async () => {
  const commands = await allCommands();
  const typed = DOCUMENTS.flatMap((file) => commandsIn(file).map((text) => ({ file, text })));
  assert.ok(typed.length > 50, String(typed.length));
  for (const { file, text } of typed) {
    const [command] = commands
      .filter(({ words }) => `${text} `.startsWith(`${words} `))
      .toSorted((one, other) => other.words.length - one.words.length);
    const isGroup = commands.some(({ words }) => words.startsWith(`${text.replace(/ --.*/, '')} `));
    assert.ok(command !== undefined || isGroup, `${file}: there is no command "${text}"`);
    for (const [, option] of text.matchAll(/ --([a-z-]+)/g))
      assert.ok(option === 'help' || Object.hasOwn(command?.options ?? {}, option!), `${file}: ${text}`);
  }
});

test('the files that the documents name exist', () => {
  const named = [...DOCUMENTS, 'ARCHITECTURE.md', 'CONTRIBUTING.md'].flatMap((file) => {
    const paths = readFileSync(file, 'utf8').matchAll(
      /`((?:src|bench|loadtest|test|packages|scripts|deploy|docs)\/[a-z0-9_./-]+\.[a-z]+)`/g,
    );
    return [...paths].map(([, path]) => ({ file, path: path! }));
  });
  assert.ok(named.length > 50, String(named.length));
  for (const { file, path } of named) assert.ok(existsSync(path) || existsSync(`${path}.example`), `${file}: ${path}`);
});

test('the commands of docs/signin.md for the operator run as they stand', async () => {
  const [, section = ''] = readFileSync('docs/signin.md', 'utf8').split('\n## For the operator\n');
  const [, block = ''] = /^```sh\n(.*?)^```/ms.exec(section) ?? [];
  await using folder = await folderOf({ 'pwnedpasswords.txt': 'correct horse battery\n' });
  const environment = {
    ...{ DATABASE_URL: join(folder.path, 'x.db'), SECRET_KEY: 'a secret that is long enough for tests' },
    ...{ LOG_LEVEL: 'silent' },
  };
  const run = async (...args: string[]): Promise<string> => {
    const { status, out, err } = await scorehallWith('staple tower lantern\n', environment, ...args);
    assert.equal(status, 0, `${args.join(' ')}: ${err}`);
    return out;
  };
  const alone: string[] = [];
  for (const line of block.trim().split('\n')) {
    const args = line
      .replace(/ +#.*/, '')
      .replace(/^scorehall /, '')
      .split(' ');
    const isList = args.includes('|');
    if (isList)
      alone.push(
        ...args
          .slice(1)
          .filter((word) => /^[a-z-]+$/.test(word))
          .map((word) => `${args[0]} ${word}`),
      );
    else if (args[0] === 'passwords') await run(...args.slice(0, -1), join(folder.path, args.at(-1)!));
    else await run(...args, ...(args[1] === 'factor-code' ? ['--yes'] : []));
  }
  assert.ok(alone.length > 10, alone.join());
  for (const command of alone) await run(...command.split(' '), '--help');
  const { kid } = JSON.parse(await run('signing-key', 'rotate', '--json')) as { kid: string };
  assert.match(await run('signing-key', 'export', '--pem'), /BEGIN PUBLIC KEY/);
  assert.match(section, /`signing-key withdraw --kid KID`/);
  await run('signing-key', 'withdraw', '--kid', kid, '--yes');
});

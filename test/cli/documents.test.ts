import assert from 'node:assert/strict';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { test } from 'node:test';
import { parse } from '#cli/command/command.ts';
import { allCommands, run } from '#cli/dispatch.ts';
import { captured } from '#test/support/captured.ts';
import { folderOf } from '#test/packages/importers/fixtures.ts';
import { scorehallWith } from './scorehall.ts';

const DOCUMENTS = ['README.md', 'SECURITY.md', ...readdirSync('docs').map((name) => join('docs', name))].filter(
  (file) => file.endsWith('.md'),
);

const OTHERS = ['CONTRIBUTING.md', 'deploy/compose.yaml', 'deploy/systemd/scorehall-release'].concat(
  readdirSync('packages').map((name) => join('packages', name, 'README.md')),
);

interface Typed {
  file: string;
  text: string;
  /** Whether it is in a block; in a sentence a command may mean all its forms. */
  isLine: boolean;
}

/**
 * The commands of a file, `scorehall …` or `npm run -s scorehall -- …`: lines of blocks, and between backquotes also those
 * that begin with the words of a command alone. They end at a comment, an ellipsis or another command of the shell.
 */
const CALL = /^(?:npm run (?:-s )?scorehall -- |scorehall )/;
const LINES = /^(?: *|.* exec scorehall )((?:npm run (?:-s )?scorehall -- |scorehall )[a-z][^\n`]*)/gm;

function commandsIn(file: string, names: readonly string[]): Typed[] {
  const text = readFileSync(file, 'utf8');
  const lines = [...text.matchAll(LINES)].map(([, called]) => called!.replace(CALL, ''));
  const sentences = text.replaceAll(/^```.*?^```/gms, '').replaceAll(/\s+/g, ' ');
  const quoted = [...sentences.matchAll(/`([^`]+)`/g)].flatMap(([, words]) => {
    const called = words!.replace(CALL, '');
    const isCommand = called !== words || names.some((name) => name.includes(' ') && called.startsWith(`${name} `));
    return isCommand && !called.startsWith('--') ? [called] : [];
  });
  const found = (isLine: boolean) => (text: string) => ({ file, text: text.split(END, 1)[0]!.trim(), isLine });
  return [...lines.filter((text) => !text.includes(' | ')).map(found(true)), ...quoted.map(found(false))];
}

/** Where a command ends in a line of the shell. */
const END = / #| &&|;|>|\\$| \|/;

/** Values for the words that mean one; others, such as NAME, are values themselves. */
const VALUES: Record<string, string> = {
  ...{ KEY: '00000000000', TIME: '2026-03-01T18:00:00Z', PLACE: 'start', HOURS: '24', NUMBER: '1' },
};

/** The arguments as a shell makes them; of alternatives (`FILE|-`, `events|rotations`) the first, and with `[--optional]` parts. */
function argumentsOf(text: string): string[] {
  const words = text.replaceAll(/[[\]]/g, '').match(/"[^"]*"|'[^']*'|\S+/g) ?? [];
  return words.map((word) => {
    const value = /^["']/.test(word) ? word.slice(1, -1) : word.split('|', 1)[0]!;
    return VALUES[value] ?? value;
  });
}

/** Commands that do not end, or send requests: only their options are read. */
const NOT_RUN = /^(serve|demo|setup|agent|watch|doctor)\b|--follow/;
const WRONG_FORM =
  /no command|(is|are) missing|Unknown option|Unexpected argument|argument missing|does not take|must (be|have|not)|Give |together/;

test('each command in the documents exists, and each form of it is one that the command takes', async () => {
  const commands = await allCommands();
  const names = commands.map(({ words }) => words);
  const typed = [...DOCUMENTS, ...OTHERS.filter((file) => existsSync(file))].flatMap((file) => commandsIn(file, names));
  assert.ok(typed.length > 140, String(typed.length));
  await using folder = await folderOf({});
  const environment = { DATABASE_URL: '/dev/null/none', SECRET_KEY: 'a secret that is long enough for tests' };
  let executed = 0;
  for (const { file, text, isLine } of typed) {
    const place = `${file}: ${text}`;
    const args = argumentsOf(text);
    const command = commands
      .filter(({ words }) => `${args.join(' ')} `.startsWith(`${words} `))
      .toSorted((one, other) => other.words.length - one.words.length)[0];
    const isGroup = names.some((name) => name.startsWith(`${text.replace(/ (--|…).*$/, '')} `));
    assert.ok(command !== undefined || isGroup, `${place}: there is no such command`);
    if (command === undefined) continue;
    for (const [, option] of text.matchAll(/ --([a-z-]+)/g))
      assert.ok(option === 'help' || Object.hasOwn(command.options ?? {}, option!), `${place}: no option ${option}`);
    const isWhole = isLine || args.length > command.words.split(' ').length;
    if (!isWhole || text.includes('…') || args.includes('--help')) continue;
    const rest = args.slice(command.words.split(' ').length);
    assert.doesNotThrow(() => parse(command, rest), place);
    if (NOT_RUN.test(text)) continue;
    const stdin = 'staple tower lantern\n';
    const { err } = await captured({ environment, stdin, folder: folder.path }, () => run(args));
    assert.doesNotMatch(err, WRONG_FORM, place);
    executed++;
  }
  assert.ok(executed > 80, String(executed));
});

test('the files that the documents name exist', () => {
  const documents = [...DOCUMENTS, 'ARCHITECTURE.md', 'CONTRIBUTING.md'];
  const named = documents.flatMap((file) => {
    const paths = readFileSync(file, 'utf8').matchAll(
      /`((?:[a-z][\w.-]*\/)+[a-z\d][\w.-]*\.(?:ts|mjs|js|java|css|sql|md))`/g,
    );
    return [...paths].map(([, path]) => ({ file, path: path! })).filter(({ path }) => !/[A-Z]{3}/.test(path));
  });
  assert.ok(named.length > 150, String(named.length));
  for (const { file, path } of named) assert.ok([path, join('src', path)].some(existsSync), `${file}: ${path}`);
});

test('the links between documents lead to a file', () => {
  const links = globSync('{*,docs/*,docs/adr/*,packages/*/*}.md').flatMap((file) => {
    const targets = readFileSync(file, 'utf8').matchAll(/\]\((?![a-z]+:)([^)#\s]+)/g);
    return [...targets].map(([, target]) => ({ file, target: target! }));
  });
  assert.ok(links.length > 100, String(links.length));
  for (const { file, target } of links) assert.ok(existsSync(join(dirname(file), target)), `${file}: ${target}`);
});

const CODE = globSync('{src,test,scripts,packages/*}/**/*.{ts,sql}', { exclude: ['**/node_modules'] });
const DECLARATION = /\b(?:const|function|class|interface|type) (\w+)|^ +(?:readonly |static |async )*(\w+)\??[:(<]/gm;
/** A constant, a name in camelCase or one with parentheses; ordinary words are not checked. Its place may follow. */
const NAME = /`([A-Z][A-Z_]{2,}|[A-Za-z]+[a-z][A-Z]\w*|\w+(?=\())(?:\([^`]*\))?`/.source;
const NAMED = new RegExp(`${NAME}(?:,? (?:of |in |\\()\`([\\w./-]+\\.ts)\`)?`, 'g');

test('the names of the code in the documents about it are declared, and in the file that the sentence names', () => {
  const declared = new Map<string, Set<string>>();
  for (const file of CODE)
    for (const [, name, member] of readFileSync(file, 'utf8').matchAll(DECLARATION)) {
      const key = (name ?? member)!;
      declared.set(key, (declared.get(key) ?? new Set()).add(file));
    }
  let placed = 0;
  for (const document of ['CONTRIBUTING.md', 'ARCHITECTURE.md', 'docs/internals.md']) {
    const text = readFileSync(document, 'utf8')
      .replaceAll(/^```.*?^```/gms, '')
      .replaceAll(/\s+/g, ' ');
    for (const [, name, path = ''] of text.matchAll(NAMED)) {
      const files = declared.get(name!);
      assert.ok(files !== undefined, `${document}: there is no ${name}`);
      if (!path.includes('/') || /[A-Z]{3}/.test(path)) continue;
      placed++;
      assert.ok(files.has(path) || files.has(join('src', path)), `${document}: ${name} is not in ${path}`);
    }
  }
  assert.ok(placed > 10, String(placed));
});

test('the files that CONTRIBUTING names without their folder exist', () => {
  const names = new Set(CODE.map((file) => basename(file)));
  const named = readFileSync('CONTRIBUTING.md', 'utf8').matchAll(/`([a-z\d][\w.-]*\.(?:ts|sql))`/g);
  for (const [, name] of named) assert.ok(names.has(name!), `there is no ${name}`);
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

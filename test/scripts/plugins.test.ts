import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { findJdk } from '../../scripts/plugins.ts';

/** A folder with a javac that prints this version to stdout, as newer ones do, or to stderr, as Java 8 does. */
function fakeJdk(folder: string, version: string, output = 1): string {
  mkdirSync(join(folder, 'bin'), { recursive: true });
  const javac = join(folder, 'bin/javac');
  writeFileSync(javac, `#!/bin/sh\necho 'javac ${version}' >&${output}\n`);
  chmodSync(javac, 0o755);
  return folder;
}

const REMEDY =
  'Install a JDK of version 17 or newer (Debian: openjdk-17-jdk-headless), or name its folder in JAVA_HOME.';

test('a missing or old JDK is named in one line with the remedy', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'jdk-'));
  const nothing = join(folder.path, 'nothing');
  await assert.rejects(findJdk({ PATH: nothing }), { message: `javac was not found. ${REMEDY}` });
  for (const [version, output] of [['11.0.24'], ['1.8.0_422', 2]] as const) {
    const home = fakeJdk(join(folder.path, version), version, output);
    const message = `javac ${version} is too old for the plugins. ${REMEDY}`;
    await assert.rejects(findJdk({ PATH: nothing, JAVA_HOME: home }), { message });
    await assert.rejects(findJdk({ PATH: join(home, 'bin') }), { message });
  }
});

/** The version of the JDK for a JAVA_HOME and a JDK in PATH. */
async function found(home: string, inPath: string): Promise<string> {
  return (await findJdk({ JAVA_HOME: home, PATH: join(inPath, 'bin') })).version;
}

test('the JDK is that of JAVA_HOME, or one in PATH if that is too old', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'jdk-'));
  const [old, jdk17, jdk25] = ['11.0.24', '17', '25.0.3'].map((each) => fakeJdk(join(folder.path, each), each));
  assert.equal(await found(jdk25!, jdk17!), 'javac 25.0.3');
  assert.equal(await found('', jdk17!), 'javac 17');
  assert.equal(await found(old!, jdk17!), 'javac 17');
  assert.equal(await found(join(jdk25!, 'bin/javac'), jdk17!), 'javac 17');
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { declarationsIn } from '../../../scripts/java/declarations.ts';
import { stubs } from '../../../scripts/java/list-types.ts';
import { differences, readList, SOURCES } from '../../../scripts/java/real-types.ts';

const list = (name: string): string => readFileSync(join(import.meta.dirname, `${name}.txt`), 'utf8');

test('the stubs declare nothing that the real types do not have', () => {
  const problems = SOURCES.flatMap(({ name, prefix }) => {
    const real = new Map(readList(list(name)).map((type) => [type.name, type]));
    const declared = stubs().filter((stub) => stub.name.startsWith(prefix));
    return declared.flatMap((stub) => differences(stub, real.get(stub.name)).map((problem) => `${name}: ${problem}`));
  });
  assert.deepEqual(problems, []);
});

test('a stub that differs from the real type is reported', () => {
  const real = readList(list('pgm'));
  const reported = (source: string): string[] =>
    declarationsIn(source).flatMap((stub) =>
      differences(
        stub,
        real.find(({ name }) => name === stub.name),
      ),
    );
  const match = 'package tc.oc.pgm.api.match; import java.util.*;';
  assert.deepEqual(reported(`${match} public interface Match { Collection<Competitor> getCompetitors(); }`), []);
  assert.deepEqual(reported(`${match} public interface Match { List<Competitor> getCompetitors(); void end(); }`), [
    'tc.oc.pgm.api.match.Match has no "List<Competitor> getCompetitors()", but "Collection<Competitor> getCompetitors()"',
    'tc.oc.pgm.api.match.Match has no "void end()"',
  ]);
  // Calls of interfaces and of classes differ in the class file.
  assert.deepEqual(reported(`${match} public abstract class Match extends ModuleContext implements Listener {}`), [
    'tc.oc.pgm.api.match.Match is declared as class, but is interface',
    'tc.oc.pgm.api.match.Match is no Listener',
  ]);
  assert.deepEqual(reported(`${match} public interface Matches {}`), [
    'tc.oc.pgm.api.match.Matches is not in the list',
  ]);
  const nested = `${match} public class Rounds { int a = 1; protected static final int[] B = { 1 }; { B[0] = 2; } class C {} }`;
  assert.deepEqual(
    declarationsIn(nested).map(({ name, members }) => [name, ...members.map(({ signature }) => signature)].join(' ')),
    ['tc.oc.pgm.api.match.Rounds static int[] B', 'tc.oc.pgm.api.match.Rounds.C'],
  );
});

test('every stub belongs to a list, and every list names its source', () => {
  const unlisted = stubs().filter(({ name }) => !SOURCES.some(({ prefix }) => name.startsWith(prefix)));
  assert.deepEqual(
    unlisted.map(({ name }) => name),
    [],
  );
  for (const { name, repository, commit } of SOURCES)
    assert.ok(list(name).startsWith(`# ${repository} ${commit}\n`), name);
});

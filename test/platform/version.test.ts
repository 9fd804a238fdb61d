import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { commitIn } from '#platform/version.ts';

test('a clone, its packed references, a checked-out commit and a release name their commit', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'version-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim();
  assert.equal(commitIn(folder), '', 'neither .git nor COMMIT');
  git('init', '--quiet', '--initial-branch=release/one');
  const identity = ['-c', 'user.name=A', '-c', 'user.email=a@example.org', '-c', 'commit.gpgsign=false'];
  git(...identity, 'commit', '--quiet', '--allow-empty', '--message=one');
  const commit = git('rev-parse', 'HEAD');
  assert.equal(commitIn(folder), commit);
  git('pack-refs', '--all');
  assert.equal(commitIn(folder), commit, 'packed');
  git('checkout', '--quiet', '--detach');
  assert.equal(commitIn(folder), commit, 'detached');
  const worktree = join(folder, 'worktree');
  git('worktree', 'add', '--quiet', worktree);
  assert.equal(commitIn(worktree), '', 'a worktree does not say it');
  writeFileSync(join(worktree, 'COMMIT'), `${commit}\n`);
  assert.equal(commitIn(worktree), commit, 'a release');
});

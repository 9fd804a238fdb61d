import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Router } from '#http/router.ts';

const router = new Router([
  ['/matches/:id', 'match'],
  ['/matches/newest', 'newest'],
  ['/users/:uuid', 'user'],
  ['/users/:uuid/stats', 'stats'],
  ['/boards/:mode/:period', 'board'],
]);
const found = (path: string) => {
  const { route, parameters = [] } = router.find(path) ?? {};
  return [route, ...parameters];
};

test('a path leads to its route and its parameter', () => {
  assert.deepEqual(found('/matches/a%2Fb'), ['match', 'a%2Fb']);
  assert.deepEqual(found('/users/1'), ['user', '1']);
  assert.deepEqual(found('/users/1/stats'), ['stats', '1']);
  assert.deepEqual(found('/boards/ctw/a%2Fb'), ['board', 'ctw', 'a%2Fb']);
});

test('a path without a parameter takes precedence', () => {
  assert.deepEqual(found('/matches/newest'), ['newest']);
});

test('no other path leads to a route', () => {
  for (const path of [
    '/',
    '/matches',
    '/matches/',
    '/matches/1/',
    '/users//stats',
    '/users/1/2/stats',
    'matches/1',
    '/boards/x',
    '/boards/x/',
    '/boards//y',
    '/boards/x/y/z',
  ])
    assert.equal(router.find(path), undefined, path);
});

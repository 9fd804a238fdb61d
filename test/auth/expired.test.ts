import assert from 'node:assert/strict';
import { sql } from '#db/sql.ts';
import { deleteApplication } from '#store/applications/applications.ts';
import { onSqlite } from '#test/support/context.ts';
import { requestFor } from './flow.ts';
import { Person } from './person.ts';
import { makeAccount, makeApplication, openTestAuth, PASSWORD } from './support.ts';

const HOUR_MS = 3_600_000;

onSqlite('an expired page of a sign-in names the application, and leads back to it by one press', async (t, url) => {
  const services = await openTestAuth(t, url);
  const { context, auth } = services;
  await makeAccount(services, 'Robin');
  const make = async (name: string, type: 'web' | 'installed', uris: string[]) => {
    const { application } = await makeApplication(services, type, uris, { name });
    return application.client_id;
  };
  const [board, other] = ['https://board.example/cb?x=1', 'https://staging.example/cb'] as const;
  const scheme = 'com.example.pocket:/callback';
  const boardId = await make('Board <1>', 'web', [board, other]);
  const installed = await make('Pocket', 'installed', [scheme, 'http://127.0.0.1/cb']);
  const lost = await make('Lost', 'web', [board]);
  const person = new Person(auth, { accept: 'text/html' });
  const started = async (id: string, redirect_uri: string): Promise<string> =>
    new URL((await person.open(requestFor(services, id, { redirect_uri }))).url).pathname;
  const paths = {
    staging: await started(boardId, other),
    pocket: await started(installed, scheme),
    desktop: await started(installed, 'http://127.0.0.1:5123/cb'),
    lost: await started(lost, board),
    board: await started(boardId, board),
  };
  await deleteApplication(context.db, lost);
  context.clock.advance(HOUR_MS + 1);

  await person.submit({ login: 'Robin', password: PASSWORD });
  const link = (): string | undefined => /class="button" href="([^"]+)"/.exec(person.page.html)?.[1];
  const shown = async (path: string): Promise<string | undefined> => {
    await person.open(path);
    assert.equal(person.page.status, 410, path);
    return link();
  };
  assert.equal(person.page.status, 410);
  assert.match(person.text, /This page is too old You took longer than an hour to sign in to Board <1>, or continued/);
  assert.match(person.text, /Back to Board <1> \(board\.example\)/);
  assert.equal(link(), 'https://board.example/', 'the front page, without the parameters of the callback');
  assert.equal(await shown(paths.staging), 'https://staging.example/');
  assert.equal(await shown(`${paths.staging}/second`), 'https://staging.example/');
  assert.equal(await shown(paths.pocket), scheme);
  assert.equal(await shown(paths.desktop), '/account', 'a port that nobody may listen on any more');
  assert.match(person.text, /to sign in to Pocket, or/);
  for (const path of [paths.lost, `/sign-in/${'x'.repeat(43)}`]) {
    assert.equal(await shown(path), '/account', path);
    assert.match(person.text, /Go back to the application/);
  }
  await person.open(`${paths.board}?lang=ja`);
  assert.match(person.text, /Board <1> へのログインを始めてから.* Board <1>（board\.example）に戻る/);
  const resumed = await person.open(`/oauth/authorize/${paths.board.split('/').at(-1)!}?lang=en`);
  assert.equal(resumed.status, 400);
  assert.equal(link(), 'https://board.example/', 'also where oidc-provider finds that it has expired');

  await context.db.run(sql`update applications set suspended = 'disabled' where client_id = ${boardId}`);
  assert.equal(await shown(paths.board), '/account', 'no way to an application that is suspended since');
  assert.doesNotMatch(person.page.html, /Board|board\.example/);

  const stranger = new Person(auth);
  await stranger.open(paths.board);
  assert.equal(stranger.page.status, 410);
  assert.doesNotMatch(stranger.page.html, /Board/, 'another browser learns nothing');
  const forged = new Person(auth, { cookie: `scorehall_applications=${paths.board.slice(9, 17)}.x.0~..~%00` });
  assert.equal((await forged.open(paths.board)).status, 410);
});

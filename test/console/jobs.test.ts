import assert from 'node:assert/strict';
import { sql } from '#db/sql.ts';
import { runJobs } from '#events/jobs/runner.ts';
import { createWithdrawal } from '#events/jobs/withdrawal.ts';
import { idOf } from '#platform/ids.ts';
import { serverByName } from '#store/game/servers.ts';
import { createJob, type JobKind } from '#store/jobs.ts';
import { configured, login, match, person, sendEvents, team } from '#test/support/builders.ts';
import { onEachDatabase } from '#test/support/context.ts';
import { scorehall } from '#test/cli/scorehall.ts';
import { enter, makeOperator, openTestConsole, tokenOn } from './support.ts';

const [ann, bob, eve] = [person(1), person(2), person(3)];
const JOBS = '/console/operator/jobs';

onEachDatabase('a merge that has to wait leads to its job', async (t, url) => {
  const services = await openTestConsole(t, url);
  const { context } = services;
  const { db, clock } = context;
  await sendEvents(context, configured('Alpha'), login('Alpha', eve), match({ teams: [team('Red', 1, 2)] }));
  await makeOperator(services, 'Olga');
  const { console: olga } = await enter(services, 'Olga');
  const merge = async (from: string, into: string): Promise<string> => {
    await olga.open(`/console/operator/players/merge?from=${from}&into=${into}`);
    await olga.post('/console/operator/players/merge', { form_token: tokenOn(olga.page.html), from, into });
    return olga.page.url;
  };
  const { key: server } = (await serverByName(db, 'Alpha'))!;
  await createWithdrawal(db, clock, { server, since: clock.now() + 1 }, { label: 'Alpha', total: 9 });
  assert.match(await merge(ann.uuid, bob.uuid), /\/console\/operator\/jobs\/\w{11}$/);
  const job = olga.page.url;
  assert.doesNotMatch(olga.text, /Merged/, 'it has not begun');
  assert.equal(olga.page.headers.get('refresh'), null, 'a reload would take the focus away from Pause');
  assert.ok(olga.page.html.includes(`<a href="${new URL(job).pathname}">Look again</a>`));
  await runJobs(context);
  assert.match((await olga.open(job)).html, />done</);
  assert.doesNotMatch(olga.text, /Look again/);
  assert.match(await merge(eve.uuid, bob.uuid), /done=merged$/, 'one whose rows are moved at once');
});

onEachDatabase('a job that waits says for which one, on its page and in the commands', async (t, url) => {
  const services = await openTestConsole(t, url);
  const { context } = services;
  const { db, clock } = context;
  await makeOperator(services, 'Olga');
  const { console: olga } = await enter(services, 'Olga');
  const add = (kind: JobKind, label: string): Promise<number> =>
    db.transaction((tx) => createJob(tx, clock.now(), { kind, label, total: 9 }));
  const [held, first, later] = [
    await add('withdrawal', 'Alpha'),
    await add('anonymisation', 'Rook'),
    await add('counters', 'wools'),
  ];
  const change = (key: number, state: string): Promise<number> =>
    db.run(sql`update jobs set state = ${state} where key = ${key}`);
  const pageOf = async (key: number): Promise<string> => {
    await olga.open(`${JOBS}/${idOf(key)}`);
    return olga.text;
  };
  await change(held, 'paused');
  assert.match(await pageOf(later), /one after another\. This one waits for: Anonymisation Rook \(0 of 9\)/);
  assert.match(olga.text, /State waiting/);
  assert.ok(olga.page.html.includes(`href="${JOBS}/${idOf(first)}"`));
  assert.match(await pageOf(first), /State running/, 'a paused withdrawal holds up no job');
  assert.doesNotMatch(olga.text, /waits for/);
  await olga.open(JOBS);
  assert.match(olga.text, /wools waiting[\s\S]+Rook running[\s\S]+Alpha paused/);

  const environment = { DATABASE_URL: url, SECRET_KEY: context.config.SECRET_KEY };
  const run = async (...args: string[]): Promise<string> => (await scorehall(environment, ...args)).out;
  const listed = JSON.parse(await run('job', 'list', '--json')) as { waits_for: string | null }[];
  assert.deepEqual(
    listed.map(({ waits_for }) => waits_for),
    [idOf(first), null, null],
  );
  assert.match(await run('job', 'show', '--job', idOf(later)), new RegExp(`waits_for\\s+${idOf(first)}`));

  await change(first, 'paused');
  assert.match(await pageOf(later), /This one waits for a job that is paused: Anonymisation Rook/);
  for (const key of [held, first]) {
    assert.match(await pageOf(key), /State paused/);
    assert.doesNotMatch(olga.text, /waits for/);
  }
  await change(later, 'done');
  assert.doesNotMatch(await pageOf(later), /waits for/);

  await db.run(sql`update jobs set state = 'failed', error = 'A reason' where key = ${held}`);
  assert.match(
    await run('job', 'list'),
    /^id .* error\n[\s\S]*Alpha .* A reason\n/,
    'a column that the first row lacks',
  );
});

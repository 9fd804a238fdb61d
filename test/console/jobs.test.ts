import assert from 'node:assert/strict';
import { runJobs } from '#events/jobs/runner.ts';
import { createWithdrawal } from '#events/jobs/withdrawal.ts';
import { serverByName } from '#store/game/servers.ts';
import { configured, login, match, person, sendEvents, team } from '#test/support/builders.ts';
import { onEachDatabase } from '#test/support/context.ts';
import { enter, makeOperator, openTestConsole, tokenOn } from './support.ts';

const [ann, bob, eve] = [person(1), person(2), person(3)];

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
  await runJobs(context);
  assert.match((await olga.open(job)).html, />done</);
  assert.match(await merge(eve.uuid, bob.uuid), /done=merged$/, 'one whose rows are moved at once');
});

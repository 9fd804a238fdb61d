import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { sampleNetwork } from '#demo/network/index.ts';
import type { WireEvent } from '#events/schema/index.ts';
import { erasePlayer } from '#store/accounts/deleted-players.ts';
import { chunksOf } from '#platform/streams/chunks.ts';
import { after, presence, sendEvents } from '#test/support/builders.ts';
import { onSqlite, testContext } from '#test/support/context.ts';
import { finishJobs } from '#test/support/jobs.ts';

/** A name that no other text contains. */
const NAME = 'Vqxzjk_Erased';

/** The sample network, in which the player of the first match has a unique name. */
function events(): { uuid: string; sent: WireEvent[] } {
  const options = { seed: 'erased', now: Date.parse('2026-03-01T12:00:00Z'), matches: 60 };
  const sent = [...sampleNetwork(options).events()];
  for (const one of sent) if (one.type === 'map.published') delete one.data.image;
  const first = sent.find((one) => one.type === 'match.finished')!;
  const { uuid, name } = first.data.teams[0]!.players[0]!;
  return { uuid, sent: JSON.parse(JSON.stringify(sent).replaceAll(`"${name}"`, `"${NAME}"`)) as WireEvent[] };
}

onSqlite('an erased player leaves neither name nor UUID in the file of the database and its log', async (t, url) => {
  const context = await testContext(t, url);
  const { uuid, sent } = events();
  for (const some of chunksOf(sent, 100)) await sendEvents(context, ...some);
  const server = sent.find((one) => one.type === 'match.finished')!.server!;
  await sendEvents(context, presence(server, { current: 1, players: [NAME] }));
  await sendEvents(context, presence(server, {}, { time: after(1_000) }));
  const found = (): string[] => {
    const file = new DatabaseSync(url);
    file.exec('pragma wal_checkpoint(truncate)');
    file.close();
    const contents = [url, `${url}-wal`].map((path) => readFileSync(path, 'latin1').toLowerCase()).join('');
    return [NAME.toLowerCase(), uuid, uuid.replaceAll('-', '')].filter((text) => contents.includes(text));
  };
  assert.equal(found().length, 3);
  const erased = await erasePlayer(context.db, context.clock.now(), uuid);
  assert.ok('job' in erased);
  await finishJobs(context.db);
  assert.deepEqual(found(), []);
});

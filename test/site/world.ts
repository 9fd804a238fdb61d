import assert from 'node:assert/strict';
import { runJobsOnce } from '#server/jobs.ts';
import type { AppContext } from '#context/context.ts';
import { sql } from '#db/sql.ts';
import { ingestEvents } from '#events/ingest/ingest-events.ts';
import type { WireEvent } from '#events/schema/index.ts';
import { type Sample, sampleNetwork } from '#demo/network/index.ts';
import { recordOnline } from '#demo/presence.ts';
import { event } from '#test/support/builders.ts';

const HOUR_MS = 3_600_000;

/**
 * The heartbeats and running matches of a time, and for each match one before it that was seen without a result. At most
 * times of the day no match runs, so these are the events of the last time at which one ran, dated to the requested time.
 */
export function presentAt(sample: Sample, now: number): WireEvent[] {
  const at = lastMatchBefore(sample, now);
  const later = (time: string): string => new Date(Date.parse(time) + now - at).toISOString();
  const running = sample.runningAt(at).map((event) => {
    const data = event.data as { started: string; objectives: { time: string }[] };
    const objectives = data.objectives.map((objective) => ({ ...objective, time: later(objective.time) }));
    return {
      ...event,
      time: later(event.time),
      data: { ...data, started: later(data.started), objectives },
    } as WireEvent;
  });
  const seen = running.map((event) => {
    const began = now - 6 * 24 * HOUR_MS;
    const { map, gamemode } = event.data as { map: string; gamemode: string };
    const data = { phase: 'finished', map, gamemode, started: new Date(began).toISOString() };
    return { ...event, id: `seen ${event.id}`, time: new Date(began + HOUR_MS / 4).toISOString(), data } as WireEvent;
  });
  const present = sample.presenceAt(at).map((event) => ({ ...event, time: later(event.time) }));
  return [...present, ...seen, ...running];
}

/** @throws Error if no match ran within two days */
function lastMatchBefore(sample: Sample, now: number): number {
  for (let at = now; at > now - 48 * HOUR_MS; at -= HOUR_MS / 6) if (sample.runningAt(at).length > 0) return at;
  throw new Error('The sample network has no running match.');
}

/** Fills the database with a short history of the sample network, with all servers online. */
export async function fillNetwork(context: AppContext, matches = 40): Promise<void> {
  const { db, clock } = context;
  const now = clock.now();
  const sample = sampleNetwork({ seed: 'site', now, matches });
  const events = [...sample.events()];
  for (let start = 0; start < events.length; start += 400) {
    await ingestEvents(db, clock, { kind: 'operator' }, events.slice(start, start + 400));
  }
  await recordOnline(
    db,
    Array.from({ length: 24 }, (_, hour) => ({ time: now - hour * HOUR_MS, count: 10 + hour })),
  );
  await ingestEvents(db, clock, { kind: 'operator' }, presentAt(sample, now));
  await runJobsOnce(context);
}

/** Makes the profile of the player private who was punished first. */
export async function makePrivate({ db, clock }: AppContext): Promise<void> {
  const [[player] = []] = await db.tuples(sql`
    select p.uuid from players p join punishments u on u.punished_key = p.key order by u.key limit 1`);
  const choice = { player: String(player), profile: true, online: false, names: false };
  const [receipt] = await ingestEvents(db, clock, { kind: 'operator' }, [event('player.privacy', choice)]);
  assert.equal(receipt!.status, 'accepted');
}

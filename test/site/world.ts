import { runJobsOnce } from '#server/jobs.ts';
import type { AppContext } from '#context/context.ts';
import { ingestEvents } from '#events/ledger.ts';
import { recordOnline } from '#store/game/online-samples.ts';
import type { WireEvent } from '#events/schema.ts';
import { type Sample, sampleNetwork } from '#demo/network/index.ts';
import { drawMap } from '#demo/network/map-image/draw.ts';
import type { SampleMap } from '#demo/network/maps.ts';

const HOUR_MS = 3_600_000;
const drawings = new Map<string, Buffer>();

/** Draws each map once a run: the drawings follow from the seed, and take most of the time of filling. */
function drawOnce(seed: string, map: SampleMap): Buffer {
  const key = `${seed}/${map.name}`;
  const drawing = drawings.get(key) ?? drawMap(seed, map);
  drawings.set(key, drawing);
  return drawing;
}

/** The heartbeats and running matches of a time, and for each match one before it that was seen without a result. */
export function presentAt(sample: Sample, now: number): WireEvent[] {
  const running = sample.runningAt(now);
  const seen = running.map((event) => {
    const began = now - 6 * 24 * HOUR_MS;
    const { map, gamemode } = event.data as { map: string; gamemode: string };
    const data = { phase: 'finished', map, gamemode, started: new Date(began).toISOString() };
    return { ...event, id: `seen ${event.id}`, time: new Date(began + HOUR_MS / 4).toISOString(), data } as WireEvent;
  });
  return [...sample.presenceAt(now), ...seen, ...running];
}

/** Fills the database with a short history of the sample network, with all servers online. */
export async function fillNetwork(context: AppContext, matches = 40): Promise<void> {
  const { db, clock } = context;
  const now = clock.now();
  const sample = sampleNetwork({ seed: 'site', now, matches, draw: drawOnce });
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

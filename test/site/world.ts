import { runJobsOnce } from '#server/jobs.ts';
import type { AppContext } from '#context/context.ts';
import { ingestEvents } from '#events/ledger.ts';
import { recordOnline } from '#store/game/online-samples.ts';
import { sampleNetwork } from '#demo/network/index.ts';
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
  await ingestEvents(db, clock, { kind: 'operator' }, sample.presenceAt(now));
  await runJobsOnce(context);
}

import { keepUpOnce } from '#server/jobs.ts';
import type { Hall } from '#context/context.ts';
import { takeEvents } from '#events/ledger.ts';
import { noteOnline } from '#store/game/online-samples.ts';
import { sampleNetwork } from '#demo/network/index.ts';

const HOUR_MS = 3_600_000;

/** Fills a hall with a short season of the sample network, whose servers are up. */
export async function fillWorld(hall: Hall, matches = 40): Promise<void> {
  const { db, clock } = hall;
  const now = clock.now();
  const sample = sampleNetwork({ seed: 'site', now, matches });
  const events = [...sample.events()];
  for (let start = 0; start < events.length; start += 400) {
    await takeEvents(db, clock, { kind: 'operator' }, events.slice(start, start + 400));
  }
  await noteOnline(
    db,
    Array.from({ length: 24 }, (_, hour) => ({ time: now - hour * HOUR_MS, count: 10 + hour })),
  );
  await takeEvents(db, clock, { kind: 'operator' }, sample.presenceAt(now));
  await keepUpOnce(hall);
}

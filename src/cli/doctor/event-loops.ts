import { type Found, type Installation, ok, warning } from './finding.ts';
import { askInternal } from './request.ts';

const CHECK = 'event loops';
/** As long as in the alert `ScorehallThreadBlocked`. */
const LONG_S = 1;
const LONGEST = /^scorehall_event_loop_delay_seconds\{(?=.*percentile="100").*thread="([^"]+)".*\} (\S+)$/gm;

/**
 * Checks how long the event loop of each thread of the running service was delayed since the last scrape; this scrape begins
 * a new period. No finding if no service runs at `INTERNAL_LISTEN`.
 */
export async function checkEventLoops({ config }: Installation): Promise<Found> {
  const metrics = await askInternal(config, '/metrics').then(
    ({ body }) => body,
    () => '',
  );
  const delays = [...metrics.matchAll(LONGEST)].map(([, thread = '', seconds]) => ({
    thread,
    seconds: Number(seconds),
  }));
  if (delays.length === 0) return [];
  const long = delays.filter(({ seconds }) => seconds > LONG_S);
  if (long.length === 0) {
    const most = Math.max(...delays.map(({ seconds }) => seconds));
    const threads = delays.map(({ thread }) => thread).join(', ');
    return ok(CHECK, `The threads ${threads} were delayed by at most ${(most * 1000).toFixed(0)} ms ${SINCE}.`);
  }
  return long.map(({ thread, seconds }) =>
    warning(CHECK, `The thread ${thread} was delayed by ${seconds.toFixed(1)} s ${SINCE}.`, REMEDY),
  );
}

const SINCE = 'since the last scrape of the metrics';
const REMEDY =
  'Look for other programs that use the processor or the disk (top, iotop), and watch scorehall_event_loop_delay_seconds: docs/monitoring.md.';

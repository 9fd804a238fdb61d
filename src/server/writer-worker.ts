import { parentPort, workerData } from 'node:worker_threads';
import type { Config } from '#platform/config/config.ts';
import { openAppContext } from '#context/context.ts';
import { GroupCommitQueue } from '#events/ingest/group-commit.ts';
import { serveWorkerChannel } from '#events/ingest/worker-channel.ts';
import { startConnectors } from '#connectors/connectors.ts';
import { startWebhooks } from '#webhooks/webhooks.ts';
import { startJobs } from './jobs.ts';
import { shareMetrics, WRITER } from './thread-metrics.ts';

/** Entry of the writer thread: it commits events and runs the background jobs until the channel is closed (writer.ts). */
await using context = await openAppContext(workerData as Config);
using metrics = new DisposableStack();
metrics.use(shareMetrics(context.metrics, WRITER));
const eventQueue = new GroupCommitQueue(context);
await using jobs = new AsyncDisposableStack();
jobs.use(startJobs(context, eventQueue));
jobs.use(startWebhooks(context));
if (context.config.WATCH_SERVERS === 'serve') {
  const { log } = context;
  jobs.use(
    await startConnectors(context, ({ message }) => log.warn({ reason: message }, 'game servers are not followed')),
  );
}
await serveWorkerChannel(parentPort!, eventQueue);
await eventQueue.close();

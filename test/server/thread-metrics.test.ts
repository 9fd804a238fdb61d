import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { test } from 'node:test';
import { gauge, openMetrics } from '#platform/process/metrics.ts';
import { shareMetrics, ThreadMetrics } from '#server/thread-metrics.ts';

for (const outcome of ['come', 'fail'] as const)
  test(`metrics that ${outcome} after the thread has closed do not end the process`, async (t) => {
    const unhandled: unknown[] = [];
    const onUnhandled = (error: unknown): void => void unhandled.push(error);
    process.on('unhandledRejection', onUnhandled);
    t.after(() => process.off('unhandledRejection', onUnhandled));
    const metrics = openMetrics();
    const [asked, computed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const collect = async (): Promise<void> => {
      asked.resolve();
      await computed.promise;
    };
    gauge(metrics, { name: 'scorehall_late', help: 'Takes long', collect });
    using threads = new ThreadMetrics(openMetrics(), ['other']);
    const shared = shareMetrics(metrics, 'other');
    await threads.allOpen;
    const text = threads.text();
    await asked.promise;
    shared[Symbol.dispose]();
    if (outcome === 'come') computed.resolve();
    else computed.reject(new Error('The database is away.'));
    assert.doesNotMatch(await text, /scorehall_late/);
    await setImmediate();
    assert.deepEqual(unhandled, []);
  });

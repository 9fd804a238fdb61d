import type { IncomingMessage, ServerResponse } from 'node:http';
import { Registry } from 'prom-client';
import { closeHttpServer, httpServer } from '#http/listener.ts';
import { Router } from '#http/router.ts';
import { mailServerOf } from '#platform/mail/mail.ts';
import { gauge } from '#platform/process/metrics.ts';
import { COMMIT, VERSION } from '#platform/version.ts';
import type { AppContext } from '#context/context.ts';
import { mailFailureOf } from '#store/mail/mail-failures.ts';
import { addDatabaseMetrics, addProcessMetrics, addCertificateMetrics } from './service-metrics.ts';
import { listen } from './listeners.ts';
import { inTime, Readiness } from './readiness.ts';
import type { ThreadMetrics } from './thread-metrics.ts';

const CLOSE_TIMEOUT_MS = 1_000;

/**
 * Serves `/livez`, `/readyz` and `/metrics` for the operator's own programs, without credentials and limits, so it must
 * not be reachable from outside.
 */
export async function openInternalListener(
  context: AppContext,
  threads: ThreadMetrics,
): Promise<AsyncDisposable & { address: string }> {
  addBuildInfo(context);
  addProcessMetrics(context.metrics);
  addDatabaseMetrics(context);
  addCertificateMetrics(context.config, context.metrics);
  addMailMetric(context);
  const readiness = new Readiness(context.db, threads);
  const routes: Record<string, (response: ServerResponse) => Promise<void>> = {
    '/livez': async (response) => send(response, 200, 'text/plain; charset=utf-8', 'ok\n'),
    '/readyz': async (response) => {
      const [checks, mail] = await Promise.all([readiness.checks(), mailState(context)]);
      const ready = Object.values(checks).every((result) => result === 'ok');
      send(
        response,
        ready ? 200 : 503,
        'application/json',
        `${JSON.stringify({ ready, version: VERSION, commit: COMMIT, checks, mail })}\n`,
      );
    },
    '/metrics': async (response) => send(response, 200, Registry.PROMETHEUS_CONTENT_TYPE, await threads.text()),
  };
  const router = new Router(Object.entries(routes));
  const serve = async ({ url = '', method }: IncomingMessage, response: ServerResponse): Promise<void> => {
    const found = router.find(url.split('?', 1)[0]!);
    if (found === undefined) return send(response, 404, 'text/plain', `There are ${router.paths.join(', ')}.\n`);
    if (method !== 'GET' && method !== 'HEAD') {
      response.setHeader('allow', 'GET, HEAD');
      return send(response, 405, 'text/plain', 'Use GET.\n');
    }
    await found.route(response);
  };
  const server = httpServer((request, response) => {
    request.resume();
    serve(request, response).catch((error: unknown) => {
      context.log.error({ err: error, path: request.url }, 'the internal listener failed');
      if (response.headersSent) response.destroy();
      else send(response, 500, 'text/plain', 'Something went wrong; the log says what.\n');
    });
  });
  const address = await listen(server, 'INTERNAL', context.config.INTERNAL_LISTEN);
  return { address, [Symbol.asyncDispose]: () => closeHttpServer(server, CLOSE_TIMEOUT_MS) };
}

/** Does not count for readiness: without mails a process still serves everything else. */
async function mailState({ db, config }: AppContext): Promise<string> {
  const state = async (): Promise<string> => {
    const failure = await mailFailureOf(db, mailServerOf(config));
    if (failure === undefined) return 'ok';
    return `failing since ${new Date(failure.since).toISOString()} with ${failure.error}`;
  };
  return await inTime(state());
}

function addMailMetric({ db, config, metrics }: AppContext): void {
  gauge(metrics, {
    name: 'scorehall_mail_failing',
    help: '1 if the last attempt of any process to deliver a mail failed, otherwise 0',
    collect: async (failing) => {
      const failure = await mailFailureOf(db, mailServerOf(config)).catch(() => null);
      failing.set(failure === null ? NaN : Number(failure !== undefined));
    },
  });
}

function addBuildInfo({ metrics }: AppContext): void {
  gauge(metrics, {
    name: 'scorehall_build_info',
    help: 'Always 1; the labels say which program runs',
    labelNames: ['version', 'commit', 'node'],
    collect: (info) => info.set({ version: VERSION, commit: COMMIT, node: process.version }, 1),
  });
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
  });
  response.end(response.req.method === 'HEAD' ? undefined : body);
}

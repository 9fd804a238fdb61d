import { existsSync } from 'node:fs';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import type { ServiceName } from '#platform/config/config.ts';
import { TemporaryError, UsageError } from '#platform/errors.ts';
import { closeHttpServer, httpServer } from '#http/listener.ts';
import { RefusedRequests } from '#http/refused-requests.ts';
import { RequestObserver } from '#http/request-metrics.ts';
import { withSelfCheck } from '#http/self-check.ts';
import type { Listen } from '#platform/config/setting.ts';
import type { AppContext } from '#context/context.ts';
import type { StreamHost } from '#api/open-streams.ts';
import { claimSecretKey } from '#context/database-key.ts';
import type { HttpService } from '#http/service.ts';
import { keepDescriptors } from './descriptor-reserve.ts';
import type { EventQueue } from '#events/ingest/event-queue.ts';

/** What runs in other threads or processes; by default the services do it in theirs. */
export interface Elsewhere {
  /** Commits the events of the ingest. */
  eventQueue?: EventQueue | undefined;
  /** Sends the events of streams. */
  streams?: StreamHost | undefined;
}

type ServiceFactory = (context: AppContext, elsewhere: Elsewhere) => Promise<HttpService>;

/** Imported when they are opened, so that a thread loads only the code of its services. */
const SERVICES: Record<ServiceName, ServiceFactory> = {
  API: async (context, { streams }) => (await import('#api/index.ts')).openApi(context, streams),
  AUTH: async (context) => (await import('#auth/index.ts')).openAuth(context),
  SITE: async (context) => {
    const [{ openSite }, { openConsole }] = await Promise.all([import('#site/index.ts'), import('#console/index.ts')]);
    // Loaded at the first request for the reference, because no other page of the site needs the endpoints.
    const apiDocument = async (): Promise<object> => (await import('#api/index.ts')).apiDocument(context.config);
    const console = await openConsole(context);
    return siteWithConsole(await openSite(context, apiDocument), console);
  },
  INGEST: async (context, { eventQueue }) =>
    (await import('#ingest/index.ts')).openIngest(context, eventQueue ?? (await queueOfThread(context))),
};

/** A queue that writes in this thread. The ingest's thread does not load it. */
async function queueOfThread(context: AppContext): Promise<EventQueue> {
  const { GroupCommitQueue } = await import('#events/ingest/group-commit.ts');
  return new GroupCommitQueue(context);
}

export const ALL_SERVICES = Object.keys(SERVICES) as readonly ServiceName[];

/** Serves the console below its path and the site everywhere else, on one listener. The console has nothing to close. */
const siteWithConsole = (site: HttpService, console: HttpService): HttpService => ({
  ...site,
  listener: (request, response) => {
    const service = /^\/console([/?]|$)/.test(request.url ?? '') ? console : site;
    service.listener(request, response);
  },
});

const CLOSE_TIMEOUT_MS = 5_000;

export interface RunningServices extends AsyncDisposable {
  /** The address that each service listens on: an origin of this machine, or the path of a socket. */
  addresses: Partial<Record<ServiceName, string>>;
}

/**
 * Starts services, each on its own listener. Closing waits for the running requests.
 * @throws UsageError if the secret key is not that of the database
 */
export async function openServices(
  context: AppContext,
  services: readonly ServiceName[] = ALL_SERVICES,
  elsewhere: Elsewhere = {},
): Promise<RunningServices> {
  await claimSecretKey(context.db, context.config);
  const open: { server: Server; service: HttpService }[] = [];
  const addresses: Partial<Record<ServiceName, string>> = {};
  const refused = new RefusedRequests(context);
  const close = async (): Promise<void> => {
    await Promise.all(open.map(closeService));
    await refused[Symbol.asyncDispose]();
  };
  try {
    for (const name of services) {
      const service = await SERVICES[name](context, elsewhere);
      const isHttps = context.config[`${name}_URL`].startsWith('https:');
      const listener = isHttps ? withHsts(service.listener) : service.listener;
      const server = httpServer(withSelfCheck(context, name, listener), {
        readsBodies: service.readsBodies,
        observer: new RequestObserver(context, name.toLowerCase(), refused),
      });
      keepDescriptors(server, name.toLowerCase(), context.log);
      open.push({ server, service });
      addresses[name] = await listen(server, name, context.config.listen[name]);
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { addresses, [Symbol.asyncDispose]: close };
}

/** Browsers then use only https for the host (RFC 6797), also if a person types its name. */
function withHsts(listener: RequestListener): RequestListener {
  return (request, response) => {
    response.setHeader('strict-transport-security', 'max-age=31536000');
    listener(request, response);
  };
}

/** @throws UsageError if the system refuses the address */
export async function listen(server: Server, name: ServiceName | 'INTERNAL', where: Listen): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(where, resolve);
  await promise.catch((error: NodeJS.ErrnoException) => {
    const shown = where.path ?? `${where.host}:${where.port}`;
    const code = isInNoFolder(where) ? 'ENOENT' : (error.code ?? '');
    const sentence = `${name}_LISTEN cannot be ${shown}: ${REASONS[code] ?? error.message}.`;
    throw MAY_PASS.has(code) ? new TemporaryError(sentence) : new UsageError(sentence);
  });
  server.off('error', reject);
  if (where.path !== undefined) return where.path;
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

/** The system reports a missing folder of a socket as missing rights. */
const isInNoFolder = ({ path }: Listen): boolean => path !== undefined && !existsSync(dirname(path));

/** Another process may end, and an interface or a name server may not be up yet. */
const MAY_PASS: ReadonlySet<string> = new Set(['EADDRINUSE', 'EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN']);

const REASONS: Record<string, string> = {
  EADDRINUSE: 'something listens there already',
  EADDRNOTAVAIL: 'this machine has no such address',
  EACCES: 'this user may not listen there',
  ENOENT: 'there is no such folder',
  ENOTFOUND: 'there is no such host',
};

async function closeService({ server, service }: { server: Server; service: HttpService }): Promise<void> {
  service.stopping?.();
  await closeHttpServer(server, CLOSE_TIMEOUT_MS);
  await service.close?.();
}

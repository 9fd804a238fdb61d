import type { EventEmitter } from 'node:events';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { ClientAddresses } from '#http/client-address.ts';
import { RateLimits } from '#http/rate-limits.ts';
import type { HttpService } from '#http/service.ts';
import { PASSKEY_SCRIPT, PASSKEY_SCRIPT_FILE } from '#http/passkey-form.ts';
import { LINK_SCRIPT } from './layout.ts';
import { invalidRequest, toHttpError } from '#http/errors.ts';
import { describeResponse, requestIdOf } from '#http/request-metrics.ts';
import { brandAssets } from '#http/assets.ts';
import { disconnected } from '#http/listener.ts';
import type { Log } from '#platform/process/log.ts';
import type { PageShell } from '#http/page.ts';
import { openSecretKey } from '#platform/crypto/secret-key.ts';
import { groupWriter } from '#db/group-writer.ts';
import type { AppContext } from '#context/context.ts';
import { Background } from './background.ts';
import type { Deps } from './deps.ts';
import { KeyRing } from './oidc/key-ring.ts';
import { allowsMethod, refuseWrongPath } from './oidc/methods.ts';
import { createPages } from './pages.ts';
import { PasswordQueue } from './password-queue.ts';
import { ProtocolPages } from './oidc/protocol-pages.ts';
import { createProvider } from './oidc/provider.ts';
import { tokenInfoEndpoint } from './oidc/tokeninfo.ts';
import { pinHost, refuse, withClientForm, redirectToGet } from './oidc/request.ts';
import { clientInfo } from './client-info.ts';

type RequestHandler = ReturnType<typeof getRequestListener>;

const PROTOCOL = /^\/(oauth|\.well-known)\//i;
const CLIENT_AUTHENTICATED = /^\/oauth\/(token|revoke|introspect|par)\/?(\?|$)/i;
const FRONT_CHANNEL = /^\/oauth\/(authorize|logout)\/?(\?|$)/i;
const TOKENINFO = /^\/oauth\/tokeninfo\/?(\?|$)/i;

/** Starts the sign-in service: OAuth 2.0 and OpenID Connect by oidc-provider, and its pages, on one listener. */
export async function openAuth(context: AppContext): Promise<HttpService> {
  const { config, db, clock, log, mail } = context;
  const assets = brandAssets(config)
    .addFile('sign-in.css', new URL('style/sign-in.css', import.meta.url))
    .addFile(PASSKEY_SCRIPT, PASSKEY_SCRIPT_FILE)
    .addFile(LINK_SCRIPT, new URL('script/link.js', import.meta.url));
  const shell: PageShell = {
    network: config.NETWORK_NAME,
    home: `${config.SITE_URL}/`,
    assets,
    stylesheets: ['base.css', 'sign-in.css'],
    scripts: [],
  };
  const secure = config.AUTH_URL.startsWith('https:');
  const saveFailed = (error: unknown): void => log.error({ err: error }, 'saving the token counters failed');
  const limits = await RateLimits.open(context, ['token'], saveFailed);
  const pages = new ProtocolPages({ config, shell, db, secure });
  const providerParts = { config, db, clock, secure, group: groupWriter(db), limits, pages };
  const secretKey = openSecretKey(config);
  const keyRing = await KeyRing.open(context, secretKey, (keys) =>
    logProviderErrors(createProvider(providerParts, keys), log),
  );
  const background = new Background(log);
  const passwordQueue = new PasswordQueue();
  const deps: Deps = {
    ...{ config, db, clock, log, mail },
    ...{ shell, secure, secretKey, background, passwordQueue, limits },
    get provider() {
      return keyRing.current.provider;
    },
  };
  const tokenInfo = tokenInfoEndpoint(db.shortReads, () => keyRing.current.tokenInfo);
  const answerPage = getRequestListener(createPages(deps, tokenInfo).fetch, { overrideGlobalObjects: false });
  return {
    listener: authListener(context, keyRing, answerPage),
    stopping: () => passwordQueue.close(),
    close: async () => {
      keyRing.close();
      await background.settled();
      // A database that is away must not keep the service from stopping.
      await limits[Symbol.asyncDispose]().catch(saveFailed);
    },
  };
}

/** The events of refused requests of applications. */
const REFUSALS = [
  'authorization.error',
  'pushed_authorization_request.error',
  'grant.error',
  'introspection.error',
  'revocation.error',
  'userinfo.error',
];

/** Logs server errors as errors, and grants refused to applications at info level, with the reason. */
function logProviderErrors(provider: Provider, log: Log): Provider {
  provider.on('server_error', (ctx, error) =>
    log.error({ err: error, request_id: requestIdOf(ctx.res) }, 'oidc-provider failed'),
  );
  provider.on('grant.error', (ctx, error) =>
    log[disconnected(ctx.req, error.cause) ? 'debug' : 'info'](
      {
        error: error.message,
        detail: error.error_detail,
        client_id: ctx.oidc.client?.clientId,
        request_id: requestIdOf(ctx.res),
      },
      'grant refused',
    ),
  );
  const emitter: EventEmitter = provider;
  for (const event of REFUSALS)
    emitter.on(event, ({ res, oidc }: KoaContextWithOIDC) => {
      if (oidc.client !== undefined) describeResponse(res, { senders: { application: oidc.client.clientId } });
    });
  // Koa emits `error` for exceptions that oidc-provider does not catch; without a listener it prints them to stderr.
  emitter.on('error', (error: Error & { expose?: boolean }, { req, res }: KoaContextWithOIDC) => {
    if (error.expose !== true)
      log[disconnected(req, error) ? 'debug' : 'error'](
        { err: error, request_id: requestIdOf(res) },
        'oidc-provider failed',
      );
  });
  return provider;
}

/** @param pages answers what oidc-provider does not */
function authListener({ config, log }: AppContext, keyRing: KeyRing, pages: RequestHandler): RequestListener {
  const addresses = new ClientAddresses(config.TRUSTED_PROXIES);
  const issuer = new URL(config.AUTH_URL);
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = request.url ?? '';
    if (!url.startsWith('/')) throw invalidRequest('The request target must be a path, not an absolute URL.');
    pinHost(request, issuer);
    await keyRing.update();
    // RFC 6749 section 5.1, also for errors.
    if (CLIENT_AUTHENTICATED.test(url)) response.setHeader('pragma', 'no-cache').setHeader('cache-control', 'no-store');
    refuseWrongPath(url);
    if (!PROTOCOL.test(url) || TOKENINFO.test(url)) return await pages(request, response);
    if (allowsMethod(request, response)) return;
    if (request.method === 'POST' && FRONT_CHANNEL.test(url)) return await redirectToGet(request, response);
    const isClient = request.method === 'POST' && CLIENT_AUTHENTICATED.test(url);
    await keyRing.current.listener(isClient ? await withClientForm(request) : request, response);
  };
  return (request, response) => {
    const address = addresses.of(request);
    describeResponse(response, { address });
    const { origin, 'user-agent': agent = '' } = request.headers;
    const answered = new Promise<void>((resolve) => void response.once('close', resolve));
    clientInfo.run({ address, agent, answered }, () => {
      serve(request, response).catch((error: unknown) => {
        const requestId = requestIdOf(response);
        const wire = toHttpError(error, requestId);
        const level = disconnected(request, error) ? 'debug' : 'error';
        if (wire.status >= 500) log[level]({ err: error, request_id: requestId }, 'request failed');
        if (response.headersSent) response.destroy();
        else refuse(response, wire, origin);
      });
    });
  };
}

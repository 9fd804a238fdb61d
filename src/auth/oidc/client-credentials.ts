import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AppContext } from '#context/context.ts';
import { GroupWriter } from '#db/group-writer.ts';
import { serviceSecrets } from '#store/applications/applications.ts';
import { newClientToken } from '#store/applications/tokens.ts';
import { matchesAny } from './clients.ts';
import type { TokenLimits } from './token-limits.ts';
import { readBody, withBody } from './request.ts';

const MAX_BODY_LENGTH = 512;
/** The parameters of the specified request; oidc-provider answers a request with more or fewer. */
const PARAMETERS = ['client_id', 'client_secret', 'grant_type'];
const HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  vary: 'Origin',
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'WWW-Authenticate',
};

/**
 * Fast path of the client credentials grant, without oidc-provider. It answers only the request that the specification
 * shows: three parameters and a correct secret. oidc-provider answers everything else, including every error. A test
 * compares the two responses.
 */
export class ClientCredentials {
  readonly #context: AppContext;
  readonly #group: GroupWriter;
  readonly #limits: TokenLimits;

  constructor(context: AppContext, limits: TokenLimits) {
    this.#context = context;
    // An application whose token a power failure has lost gets 401 and asks for another one. A flush would block the thread
    // that answers the data API, for every group of tokens.
    this.#group = new GroupWriter(context.db, { durable: false });
    this.#limits = limits;
  }

  /** @returns undefined if the request has been answered, else the request with its body restored for oidc-provider */
  async answer(request: IncomingMessage, response: ServerResponse): Promise<IncomingMessage | undefined> {
    if (!isPlainTokenRequest(request)) return request;
    const body = await readBody(request);
    return (await this.#issue(new URLSearchParams(body), response)) ? undefined : withBody(request, body);
  }

  /** @returns false if oidc-provider has to answer */
  async #issue(form: URLSearchParams, response: ServerResponse): Promise<boolean> {
    if (form.size !== PARAMETERS.length || !PARAMETERS.every((name) => form.has(name))) return false;
    if (form.get('grant_type') !== 'client_credentials') return false;
    const clientId = form.get('client_id')!;
    if (!/^[\w-]{1,64}$/.test(clientId)) return false;
    const { db, clock, config } = this.#context;
    const hashes = await serviceSecrets(db, clientId);
    if (!matchesAny(hashes, form.get('client_secret')!)) return false;
    this.#limits.count('client_credentials', clientId);
    const expires_in = config.ACCESS_TOKEN_LIFETIME;
    const { token, insert } = newClientToken(clock.now(), clientId, expires_in * 1000);
    await this.#group.write(insert);
    const body = JSON.stringify({ access_token: token, expires_in, token_type: 'bearer', scope: null });
    response.writeHead(200, { ...HEADERS, 'content-length': Buffer.byteLength(body) }).end(body);
    return true;
  }
}

/** Whether a request can be the specified one: a short form, no authentication by header, not from a web page (CORS). */
function isPlainTokenRequest({ method, url, headers }: IncomingMessage): boolean {
  if (method !== 'POST' || url !== '/oauth/token') return false;
  if (headers.authorization !== undefined || headers.origin !== undefined || headers['dpop'] !== undefined)
    return false;
  const length = Number(headers['content-length']);
  return headers['content-type'] === 'application/x-www-form-urlencoded' && length > 0 && length <= MAX_BODY_LENGTH;
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Hall } from '#hall.ts';
import type { GroupWriter } from '#db/group.ts';
import { serviceSecrets } from '#records/applications.ts';
import { newClientToken } from '#records/tokens.ts';
import { matchesOne } from './clients.ts';

const LONGEST_BODY = 512;
/** The members of the specified request; whoever sends more, or less, wants something else. */
const MEMBERS = ['client_id', 'client_secret', 'grant_type'];
const HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  vary: 'Origin',
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'WWW-Authenticate',
};

/** Whether a request may be the specified client credentials grant: a short form, with nothing to prove in its headers. */
export function isPlainTokenRequest({ method, url, headers }: IncomingMessage): boolean {
  if (method !== 'POST' || url !== '/oauth/token') return false;
  if (headers.authorization !== undefined || headers.origin !== undefined || headers['dpop'] !== undefined)
    return false;
  const length = Number(headers['content-length']);
  return headers['content-type'] === 'application/x-www-form-urlencoded' && length > 0 && length <= LONGEST_BODY;
}

/**
 * The client credentials grant as the specification writes it, which programs ask for by the thousand, without the way
 * through the whole protocol. Only a request that has nothing to it but the three members, and a secret that is right, is
 * answered here; the protocol answers everything else, every refusal included. A test compares the two answers.
 */
export class ClientCredentials {
  readonly #hall: Hall;
  readonly #group: GroupWriter;

  constructor(hall: Hall, group: GroupWriter) {
    this.#hall = hall;
    this.#group = group;
  }

  /** @returns false where the protocol has to answer */
  async answer(body: string, response: ServerResponse): Promise<boolean> {
    const form = new URLSearchParams(body);
    if (form.size !== MEMBERS.length || !MEMBERS.every((name) => form.has(name))) return false;
    if (form.get('grant_type') !== 'client_credentials') return false;
    const clientId = form.get('client_id')!;
    if (!/^[\w-]{1,64}$/.test(clientId)) return false;
    const { db, clock, config } = this.#hall;
    const hashes = await serviceSecrets(db, clientId);
    if (!matchesOne(hashes, form.get('client_secret')!)) return false;
    const expires_in = config.ACCESS_TOKEN_LIFETIME;
    const { token, insert } = newClientToken(clock.now(), clientId, expires_in * 1000);
    await this.#group.write(insert);
    const answer = JSON.stringify({ access_token: token, expires_in, token_type: 'bearer', scope: null });
    response.writeHead(200, { ...HEADERS, 'content-length': Buffer.byteLength(answer) }).end(answer);
    return true;
  }
}

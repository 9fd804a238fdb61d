import { type OutgoingHttpHeaders, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';

export interface HttpResponse {
  status: number;
  headers: NodeJS.Dict<string | string[]>;
  body: string;
}

interface RequestOptions {
  method?: string;
  headers?: OutgoingHttpHeaders;
  /** The CA to trust; without it those of the system. */
  ca?: string | undefined;
  /** The local address; on Linux any of 127.0.0.0/8. */
  localAddress?: string;
  body?: Buffer | undefined;
}

/** One request on a separate connection. */
export async function ask(url: string, { body, ...options }: RequestOptions = {}): Promise<HttpResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>();
  const open = url.startsWith('https:') ? httpsRequest : httpRequest;
  const request = open(url, { ...options, agent: false }, (response) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('error', reject);
    response.on('end', () =>
      resolve({
        status: response.statusCode!,
        headers: response.headers,
        body: Buffer.concat(chunks).toString('utf8'),
      }),
    );
  });
  request.on('error', reject);
  request.setTimeout(120_000, () => request.destroy(new Error('no answer within 120 s')));
  request.end(body);
  return await promise;
}

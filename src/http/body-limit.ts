import type { IncomingMessage } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import type { MiddlewareHandler } from 'hono';
import { tooLong } from './form.ts';

/** Methods whose bodies nobody reads, and a `Request` of the web knows none for. */
const BODILESS = /^(GET|HEAD|TRACE)$/;

/**
 * Refuses bodies that are longer than any that is wanted. One that tells its length is left to whoever wants it. One that
 * comes in chunks is read here, as far as it may go, and handed on in a request of its own: what @hono/node-server gives
 * for a `Request` is one to the eye only, which is why Hono's own limit, which copies it, fails on it.
 * @throws HttpError 413
 */
export function limitBody(longest: number): MiddlewareHandler<{ Bindings: HttpBindings }> {
  return async (c, next) => {
    const { headers, method = 'GET' } = c.env.incoming;
    if (!BODILESS.test(method)) {
      if (Number(headers['content-length'] ?? 0) > longest) tooLong();
      // Without length or chunks there is no body (RFC 9112 section 6.3).
      if (headers['transfer-encoding'] !== undefined) {
        const body = await readUpTo(longest, c.env.incoming);
        c.req.raw = new Request(c.req.raw.url, { method, headers: c.req.raw.headers, body });
      }
    }
    await next();
  };
}

async function readUpTo(longest: number, incoming: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let length = 0;
  // The refusal leaves on the connection that would be destroyed with the body.
  for await (const chunk of incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > longest) tooLong();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

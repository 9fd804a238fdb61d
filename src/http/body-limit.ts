import type { IncomingMessage } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import type { MiddlewareHandler } from 'hono';
import { tooLong } from './form.ts';

/** Methods without a body: no service reads one, and a web `Request` cannot have one. */
const BODILESS = /^(GET|HEAD|TRACE)$/;

/**
 * Refuses request bodies over a limit. A body with `Content-Length` is checked by that header and left unread. A chunked
 * body is read here, up to the limit, and passed on in a new `Request`. Hono's own body limit does not work here: it copies
 * the request, and the `Request` of @hono/node-server is a lightweight stand-in that cannot be copied.
 * @param maxBytes maximum length of a body
 * @throws HttpError 413
 */
export function limitBody(maxBytes: number): MiddlewareHandler<{ Bindings: HttpBindings }> {
  return async (c, next) => {
    const { headers, method = 'GET' } = c.env.incoming;
    if (!BODILESS.test(method)) {
      if (Number(headers['content-length'] ?? 0) > maxBytes) tooLong();
      // A request without Content-Length and Transfer-Encoding has no body (RFC 9112 section 6.3).
      if (headers['transfer-encoding'] !== undefined) {
        const body = await readUpTo(maxBytes, c.env.incoming);
        c.req.raw = new Request(c.req.raw.url, { method, headers: c.req.raw.headers, body });
      }
    }
    await next();
  };
}

async function readUpTo(maxBytes: number, incoming: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let length = 0;
  // Destroying the body stream would destroy the connection, on which the 413 still has to be sent.
  for await (const chunk of incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) tooLong();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

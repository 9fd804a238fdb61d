import { WebhookError } from './errors.ts';

/** The headers of a delivery: those of a `Request`, or an object with their names in any case, such as `headers` of Node's `IncomingMessage`. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | string[] | undefined>>;

/** By how many seconds a delivery may be older or newer than the receiver's clock. */
const TOLERANCE_S = 300;

/**
 * Verifies a delivery by the rules of Standard Webhooks (`v1`, HMAC-SHA256) and returns its JSON.
 * @param body the bytes as they were received: JSON that was parsed and written again differs
 * @param secret `whsec_…`
 * @throws WebhookError if a header is missing, the time is not the present one, or no signature is right
 */
export async function verifyWebhook<T = unknown>(
  headers: WebhookHeaders,
  body: string | Uint8Array,
  secret: string,
): Promise<T> {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    header(headers, `webhook-${name}`),
  );
  if (!id || !timestamp || !signatures) throw new WebhookError('A header of Standard Webhooks is missing.');
  const age = Math.abs(Date.now() / 1000 - Number(timestamp));
  if (!/^\d+$/.test(timestamp) || age > TOLERANCE_S)
    throw new WebhookError('The delivery is older or newer than five minutes.');
  const signed = concatenated(`${id}.${timestamp}.`, body);
  const key = await hmacKey(secret);
  for (const signature of signatures.split(' ')) {
    const [version, text = ''] = signature.split(',');
    // The platform compares in constant time.
    if (version === 'v1' && (await crypto.subtle.verify('HMAC', key, bytesOf(text), signed)))
      return JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body)) as T;
  }
  throw new WebhookError('No signature of the delivery is right.');
}

function header(headers: WebhookHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  // Lambda functions and proxies pass them as they were sent.
  const value = Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1];
  return Array.isArray(value) ? value[0] : value;
}

function concatenated(prefix: string, body: string | Uint8Array): Uint8Array<ArrayBuffer> {
  const [first, second] = [prefix, body].map((part) =>
    typeof part === 'string' ? new TextEncoder().encode(part) : part,
  );
  const bytes = new Uint8Array(first!.length + second!.length);
  bytes.set(first!);
  bytes.set(second!, first!.length);
  return bytes;
}

async function hmacKey(secret: string): Promise<CryptoKey> {
  const bytes = bytesOf(secret.replace(/^whsec_/, ''));
  if (bytes.length === 0) throw new TypeError('The secret of a webhook is whsec_ and base64.');
  return await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

/** No bytes if the text is not base64. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

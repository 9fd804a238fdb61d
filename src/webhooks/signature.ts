import { createHmac } from 'node:crypto';
import { secretBytes } from '#store/applications/webhooks/webhooks.ts';

/** The headers by which a receiver verifies a message (Standard Webhooks): one signature for each valid secret. */
export function signedHeaders(
  secrets: readonly string[],
  { id, time, body }: { id: string; time: number; body: string },
): Record<string, string> {
  const timestamp = String(Math.floor(time / 1000));
  const signatures = secrets.map((secret) => {
    const hmac = createHmac('sha256', secretBytes(secret)).update(`${id}.${timestamp}.${body}`);
    return `v1,${hmac.digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}

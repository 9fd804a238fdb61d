// Receives webhooks: WEBHOOK_SECRET=whsec_… node webhook-receiver.mjs
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const key = Buffer.from(process.env.WEBHOOK_SECRET.slice('whsec_'.length), 'base64');
const seen = new Set();

function isGenuine(headers, body) {
  const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signatures = '' } = headers;
  if (!(Math.abs(Date.now() / 1000 - Number(time)) < 300)) return false;
  const expected = createHmac('sha256', key).update(`${id}.${time}.${body}`).digest();
  return signatures.split(' ').some((one) => {
    const given = Buffer.from(one.replace(/^v1,/, ''), 'base64');
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray()).toString();
  if (!isGenuine(request.headers, body)) return response.writeHead(401).end();
  const { type, data } = JSON.parse(body);
  // The first message: answering with its challenge says that you want the others.
  if (type === 'webhook.verification') return response.end(data.challenge);
  // A message can come again, so answer first and work afterwards, once for each id.
  response.writeHead(204).end();
  if (seen.has(request.headers['webhook-id'])) return;
  seen.add(request.headers['webhook-id']);
  console.log(type, data.id ?? '', data.match?.map ?? '');
}).listen(process.env.PORT ?? 8000, () => console.log('ready'));

import { z } from 'zod';
import { EventSchema } from '#events/schema.ts';
import { MAX_EVENT_LENGTH, MAX_BYTES } from './body.ts';
import { MAX_IN_ARRAY, MAX_IN_STREAM } from './limits.ts';

/** The ingest as an OpenAPI 3.1 document; events come from the schema that checks them. */
export function openApiDocument(url: string): string {
  return JSON.stringify({
    openapi: '3.1.0',
    info: {
      title: 'Scorehall ingest',
      version: '1',
      description: `Where game servers write. An event is at most ${MAX_EVENT_LENGTH} bytes, an array at most ${MAX_IN_ARRAY} events in ${MAX_BYTES.json} bytes, a stream at most ${MAX_IN_STREAM} events in ${MAX_BYTES.ndjson} bytes.`,
    },
    servers: [{ url }],
    security: [{ key: [] }],
    paths: {
      '/events': { post: postEvents },
      '/receipts': { get: getReceipts },
      '/openapi.json': { get: getDocument },
    },
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer', description: 'The key of the game server' } },
      schemas: { Event: eventSchema(), Receipt: receipt, LoggedReceipt: loggedReceipt, Error: error },
    },
  });
}

/** What only operators may say is no part of what game servers speak. */
function eventSchema(): object {
  const { $schema: _, ...schema } = z.toJSONSchema(EventSchema, { io: 'input', unrepresentable: 'any' });
  const kinds = (schema.oneOf ?? schema.anyOf ?? []) as z.core.JSONSchema.ObjectSchema[];
  const ofServers = kinds.filter(({ description = '' }) => !/operators only/.test(description)).map(withoutReceipt);
  return { oneOf: ofServers, discriminator: { propertyName: 'type' } };
}

function withoutReceipt({ properties = {}, ...kind }: z.core.JSONSchema.ObjectSchema): object {
  const { receipt: _, ...others } = properties;
  return { ...kind, properties: others };
}

const text = { type: 'string' };
const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: object): object => ({ 'application/json': { schema } });
const answer = (description: string, headers?: Record<string, string>): object => ({
  description,
  content: json(ref('Error')),
  ...(headers && {
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, description]) => [name, { description, schema: text }]),
    ),
  }),
});

const error = {
  type: 'object',
  required: ['error', 'error_description'],
  properties: { error: text, error_description: text },
};

const id = { ...text, description: "The sender's id of the event; empty where it could not be read" };
const receiptId = { ...text, description: 'Names the event here; grows with time' };
const reason = { ...text, description: 'What is wrong' };
const place = { ...text, description: 'Where in the event, like data.teams.0.players.3.uuid' };
const retry = { const: true, description: 'The event is sound and may be taken when it is sent again later' };
const receipt = {
  oneOf: [
    {
      type: 'object',
      required: ['id', 'status', 'receipt'],
      properties: {
        id,
        status: { const: 'accepted' },
        receipt: receiptId,
        note: { ...text, description: 'What changed nothing, and why' },
      },
      description: 'On disk and visible to readers',
    },
    {
      type: 'object',
      required: ['id', 'status', 'receipt'],
      properties: { id, status: { const: 'duplicate' }, receipt: receiptId },
      description: 'Taken before; nothing has changed',
    },
    {
      type: 'object',
      required: ['id', 'status', 'reason', 'place'],
      properties: { id, status: { const: 'rejected' }, reason, place, retry },
      description: 'Refused; nothing has changed',
    },
  ],
};

const loggedReceipt = {
  type: 'object',
  required: ['receipt', 'id', 'status', 'received'],
  properties: {
    receipt: receiptId,
    id,
    status: { enum: ['accepted', 'withdrawn', 'rejected'] },
    type: text,
    reason,
    place,
    received: { ...text, format: 'date-time' },
  },
};

const REJECTIONS = {
  401: answer('The key is missing, unknown, expired or revoked', { 'WWW-Authenticate': 'Bearer' }),
  405: answer('Another method is meant', { Allow: 'The methods that are' }),
  429: answer('More of this server than its share; send it again', { 'Retry-After': 'Seconds' }),
  503: answer('Nothing more was taken; send it again', { 'Retry-After': 'Seconds' }),
};

const postEvents = {
  operationId: 'postEvents',
  summary: 'Tell one event, an array of them, or a stream of lines',
  parameters: [
    {
      name: 'dry_run',
      in: 'query',
      description: 'Check and receipt everything, keep nothing',
      schema: { enum: ['0', '1', 'false', 'true'], default: '0' },
    },
    { name: 'Content-Encoding', in: 'header', schema: { enum: ['identity', 'gzip', 'zstd', 'deflate'] } },
  ],
  requestBody: {
    required: true,
    content: {
      ...json({ oneOf: [ref('Event'), { type: 'array', items: ref('Event'), maxItems: MAX_IN_ARRAY }] }),
      'application/x-ndjson': { schema: { type: 'string', description: 'One event a line' } },
    },
  },
  responses: {
    200: {
      description: 'A receipt for each event, in order, in the form in which they came',
      content: {
        ...json({ oneOf: [ref('Receipt'), { type: 'array', items: ref('Receipt') }] }),
        'application/x-ndjson': {
          schema: { type: 'string', description: 'One receipt a line; an Error as the last line ends early' },
        },
      },
    },
    400: answer('The body is not JSON, or not what its Content-Encoding says'),
    413: answer('The body or the array is too large'),
    415: answer('Another Content-Type or Content-Encoding is meant', { 'Accept-Encoding': 'Codings that are known' }),
    ...REJECTIONS,
  },
};

const getReceipts = {
  operationId: 'getReceipts',
  summary: 'What has become of the events of this server, the oldest first; heartbeats are not kept',
  parameters: [
    { name: 'after', in: 'query', description: 'The last receipt that is known', schema: text },
    { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 1000, default: 100 } },
  ],
  responses: {
    200: {
      description: 'Receipts; `next` is what to ask for after, null at the end',
      content: json({
        type: 'object',
        required: ['receipts', 'next'],
        properties: { receipts: { type: 'array', items: ref('LoggedReceipt') }, next: { type: ['string', 'null'] } },
      }),
    },
    400: answer('A parameter is malformed'),
    ...REJECTIONS,
  },
};

const getDocument = {
  operationId: 'getDocument',
  summary: 'This document',
  security: [],
  responses: { 200: { description: 'OpenAPI 3.1', content: json({ type: 'object' }) } },
};

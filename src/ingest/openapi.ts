import type { Config } from '#platform/config/config.ts';
import { DESCRIBED } from '#platform/json-schema.ts';
import { VERSION } from '#platform/version.ts';
import { z } from 'zod';
import { type EventName, EventSchema, TYPES_OF_SERVERS } from '#events/schema/index.ts';
import { MAX_PROBLEMS } from '#events/schema/problems.ts';
import { MAX_EVENT_LENGTH } from '#events/ingest/prepare.ts';
import { MAX_BYTES, MAX_IN_ARRAY, MAX_IN_STREAM } from './body.ts';

type Facts = Pick<Config, 'INGEST_URL' | 'SITE_URL' | 'NETWORK_NAME'>;

/** Builds the OpenAPI 3.1 document of the ingest; the event schemas are those that check the events. */
export function openApiDocument({ INGEST_URL, SITE_URL, NETWORK_NAME }: Facts): string {
  const events = eventSchemas();
  return JSON.stringify({
    openapi: '3.1.0',
    info: {
      title: 'Scorehall ingest',
      version: VERSION,
      description: `Game servers report events here. Limits: ${MAX_EVENT_LENGTH} bytes an event, ${MAX_IN_ARRAY} events and ${MAX_BYTES.json} bytes an array, ${MAX_IN_STREAM} events and ${MAX_BYTES.ndjson} bytes a stream, all after decompression.`,
      contact: { name: NETWORK_NAME, url: SITE_URL },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: INGEST_URL }],
    tags: [{ name: 'Events', description: 'Events of a game server and their receipts' }],
    security: [{ key: [] }],
    paths: {
      '/events': { post: postEvents },
      '/receipts': { get: getReceipts },
      '/openapi.json': { get: getDocument },
    },
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer', description: 'The key of the game server' } },
      schemas: { ...events, Receipt: receipt, LoggedReceipt: loggedReceipt, Error: error },
    },
  });
}

/** The schemas of the events that game servers may send, without those for operators only: one for each type, and `Event`. */
function eventSchemas(): Record<string, object> {
  const { $schema: _, ...schema } = z.toJSONSchema(EventSchema, { ...DESCRIBED, io: 'input' });
  const types = (schema.oneOf ?? schema.anyOf ?? []) as z.core.JSONSchema.ObjectSchema[];
  const forServers = types.filter(({ title }) => TYPES_OF_SERVERS.includes(title as EventName)).map(withoutReceipt);
  const named = forServers.map((event) => [schemaName(event.title!), event] as const);
  const mapping = Object.fromEntries(named.map(([name, { title }]) => [title!, ref(name).$ref]));
  const Event = { oneOf: named.map(([name]) => ref(name)), discriminator: { propertyName: 'type', mapping } };
  return { ...Object.fromEntries(named), Event };
}

/** `match.finished` → `MatchFinished` */
const schemaName = (type: string): string =>
  type
    .split('.')
    .map((word) => word[0]!.toUpperCase() + word.slice(1))
    .join('');

function withoutReceipt({
  properties = {},
  ...schema
}: z.core.JSONSchema.ObjectSchema): z.core.JSONSchema.ObjectSchema {
  const { receipt: _, ...others } = properties;
  return { ...schema, properties: others };
}

const text = { type: 'string' };
const ref = (name: string): { $ref: string } => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: object): object => ({ 'application/json': { schema } });
const object = (required: string[], properties: object): object => ({ type: 'object', required, properties });
const parameter = (name: string, place: 'query' | 'header', description: string, schema: object): object => {
  return { name, in: place, description, schema };
};
const errorResponse = (description: string, headers?: Record<string, string>): object => ({
  description,
  content: json(ref('Error')),
  ...(headers && {
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, description]) => [name, { description, schema: text }]),
    ),
  }),
});

const error = object(['error', 'error_description'], { error: text, error_description: text });

const id = {
  ...text,
  description: "The sender's own id of the event; empty if the event has none that could be read",
};
const receiptId = { ...text, description: 'The id of the event in Scorehall; later events have greater ones' };
const reason = { ...text, description: 'What is wrong: a sentence that names the member' };
const place = { ...text, description: 'The member that is wrong, such as data.teams.0.players.3.uuid' };
const problem = object(['reason', 'place'], { reason, place });
const problems = {
  type: 'array',
  items: problem,
  maxItems: MAX_PROBLEMS,
  description: 'All problems, if there are several; `reason` and `place` are the first',
};
const warnings = {
  type: 'array',
  items: problem,
  description: 'Values that were accepted but are not plausible; the operator sees them too',
};
const newPlayers = { type: 'integer', minimum: 1, description: 'Players of the event that were not known before' };
const firstReceipt = { ...text, description: 'Another event with this id was accepted before, under this receipt' };
const retry = { const: true, description: 'The event itself is valid: it may be accepted when it is sent again later' };
const test = { const: true, description: 'Sent with a test key or with `dry_run=1`: nothing is stored' };
const receipt = {
  oneOf: [
    {
      ...object(['id', 'status', 'receipt'], {
        id,
        status: { const: 'accepted' },
        receipt: receiptId,
        note: { ...text, description: 'Why the event, or a part of it, changed nothing' },
        warnings,
        new_players: newPlayers,
        test,
      }),
      description: 'Stored on disk and visible to readers',
    },
    {
      ...object(['id', 'status', 'receipt'], { id, status: { const: 'duplicate' }, receipt: receiptId, test }),
      description: 'Accepted before; nothing has changed',
    },
    {
      ...object(['id', 'status', 'reason', 'place'], {
        id,
        status: { const: 'rejected' },
        ...{ reason, place, problems, retry, receipt: firstReceipt, test },
      }),
      description: 'Refused; nothing has changed',
    },
  ],
};

const loggedReceipt = object(['receipt', 'id', 'status', 'received'], {
  receipt: receiptId,
  id,
  status: { enum: ['accepted', 'withdrawn', 'rejected'] },
  type: {
    ...text,
    description:
      'Of a rejected event as sent, up to 64 characters; left out if it had none, or was rejected by an older version',
  },
  reason,
  place,
  problems,
  received: { ...text, format: 'date-time' },
});

const REJECTIONS = {
  401: errorResponse('The key is missing, unknown, expired or revoked', { 'WWW-Authenticate': 'Bearer' }),
  405: errorResponse('The method is not allowed here', { Allow: 'The methods that are allowed' }),
  429: errorResponse('The server exceeds its quota; send the same again later', { 'Retry-After': 'Seconds' }),
  503: errorResponse('Scorehall cannot store events at the moment; send the same again later', {
    'Retry-After': 'Seconds',
  }),
};

const TAGS = ['Events'];

const postEvents = {
  operationId: 'postEvents',
  tags: TAGS,
  summary: 'Report one event, an array of events, or a stream of lines',
  description: 'Each event gets a receipt. Send an event again under the same id until it has one.',
  parameters: [
    parameter('dry_run', 'query', 'Check the events and send receipts, but store nothing', {
      enum: ['0', '1', 'false', 'true'],
      default: '0',
    }),
    parameter('Content-Encoding', 'header', 'The compression of the body', {
      enum: ['identity', 'gzip', 'zstd', 'deflate'],
    }),
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
      description: 'A receipt for each event, in the order and the form (object, array or lines) of the request',
      content: {
        ...json({ oneOf: [ref('Receipt'), { type: 'array', items: ref('Receipt') }] }),
        'application/x-ndjson': {
          schema: {
            type: 'string',
            description: 'One receipt a line; if the request fails midway, the last line is an Error',
          },
        },
      },
    },
    400: errorResponse(
      'The body is not valid JSON, or does not match its Content-Encoding; an invalid element of an array gets a receipt instead',
    ),
    413: errorResponse('The body is too large, or holds too many events'),
    415: errorResponse('The Content-Type or Content-Encoding is not supported', {
      'Accept-Encoding': 'The supported encodings',
    }),
    ...REJECTIONS,
  },
};

const getReceipts = {
  operationId: 'getReceipts',
  tags: TAGS,
  summary: 'List the receipts of the events of this server',
  description: 'The oldest first; heartbeats are not stored.',
  parameters: [
    parameter('after', 'query', 'A receipt, such as the `next` of the previous page: only later ones are listed', text),
    parameter('limit', 'query', 'Receipts on a page', { type: 'integer', minimum: 1, maximum: 1000, default: 100 }),
  ],
  responses: {
    200: {
      description: 'Receipts; `next` is the `after` of the next page, null on the last one',
      content: json(
        object(['receipts', 'next'], {
          receipts: { type: 'array', items: ref('LoggedReceipt') },
          next: { type: ['string', 'null'] },
        }),
      ),
    },
    400: errorResponse('A parameter is malformed'),
    ...REJECTIONS,
  },
};

const getDocument = {
  operationId: 'getDocument',
  tags: TAGS,
  summary: 'This document',
  description: 'Needs no key.',
  security: [],
  responses: {
    200: { description: 'OpenAPI 3.1', content: json({ type: 'object' }) },
    405: REJECTIONS[405],
  },
};

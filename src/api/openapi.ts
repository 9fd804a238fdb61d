import { z } from 'zod';
import { UNKNOWN_TOKEN } from '#http/credentials.ts';
import type { Config } from '#platform/config/config.ts';
import { VERSION } from '#platform/version.ts';
import { DESCRIBED } from '#platform/json-schema.ts';
import { RESET_REASONS } from '#store/game/change-cursors.ts';
import { type Endpoint, JSON_LINES } from './endpoint.ts';
import { EXAMPLES } from './examples.ts';

interface ErrorResponse {
  code: string;
  meaning: string;
  example: string;
  /** The endpoints that answer with it; left out: all. */
  of?: (endpoint: Endpoint) => boolean;
  /** Further members of the body. */
  members?: { shape: z.ZodType; example: object };
  /** The header that this status adds to those of the rate limit, and its meaning. */
  header?: [name: string, description: string];
}

const errorBody = z
  .object({
    error: z.string().meta({ description: 'Code of the error' }),
    error_description: z.string().meta({ description: 'What is wrong, in a sentence' }),
  })
  .meta({ id: 'Error', description: 'The body of every error' });

const resetBody = errorBody
  .extend({
    reason: z.enum(RESET_REASONS).meta({
      description:
        '`expired`: removals after the cursor are no longer stored; `other_feed`: the database was restored from a ' +
        'backup or has another secret key; `beyond_head`: the cursor is beyond the end of the feed',
    }),
    reset: z.literal(true),
  })
  .meta({ id: 'ResetError', description: 'The body of 410' });

const RETRY_AFTER: ErrorResponse['header'] = ['Retry-After', 'Seconds until the next attempt'];

const ERRORS: Record<string, ErrorResponse> = {
  400: {
    code: 'invalid_request',
    meaning: 'Malformed request',
    example: 'limit must be a whole number from 1; above 100 counts as 100.',
  },
  401: {
    header: ['WWW-Authenticate', 'Bearer; with `error="invalid_token"` if a credential was sent'],
    code: 'invalid_token',
    meaning: 'Client ID or access token missing or invalid',
    example: UNKNOWN_TOKEN,
  },
  403: {
    code: 'access_not_approved',
    meaning: 'The token lacks a scope, or the application has no access to the data API',
    example: 'This application has no access to the data API yet.',
  },
  404: {
    of: ({ path }) => path.includes(':'),
    code: 'not_found',
    meaning: 'Not found',
    example: 'There is no match with this id.',
  },
  405: {
    header: ['Allow', 'The methods that are allowed'],
    code: 'method_not_allowed',
    meaning: 'The method is not GET, HEAD or OPTIONS',
    example: 'The data API is read-only: use GET, HEAD, OPTIONS.',
  },
  410: {
    of: ({ isFeed }) => isFeed === true,
    code: 'cursor_gone',
    meaning: 'The cursor has no place in the feed: delete your copy and begin again with `after=0`',
    example: 'Removals after this cursor are no longer stored. Delete your copy and begin again with after=0.',
    members: { shape: resetBody, example: { reason: 'expired', reset: true } },
  },
  429: {
    header: RETRY_AFTER,
    code: 'rate_limit',
    meaning: 'Rate limit exceeded',
    example: 'Rate limit exceeded',
  },
  500: { code: 'server_error', meaning: 'Internal server error', example: 'Something went wrong on our side.' },
  503: {
    header: RETRY_AFTER,
    code: 'temporarily_unavailable',
    meaning: 'Temporarily unavailable',
    example: 'The service is temporarily unavailable. Please try again shortly.',
  },
};

const LIMIT_HEADERS: Record<string, { description: string; example: number }> = {
  'X-RateLimit-Limit': { description: 'Requests allowed per hour', example: 900 },
  'X-RateLimit-Remaining': { description: 'Requests left before the limit', example: 873 },
  'X-RateLimit-Reset': { description: 'Reset time, Unix timestamp', example: 1_772_370_000 },
};

const COST_HEADER = {
  'X-RateLimit-Cost': { description: 'Number of requests that this one counts as', schema: { type: 'integer' } },
};

const TAGS: Record<string, string> = {
  Server: 'Game servers and who is on them',
  Match: 'Finished matches',
  Map: 'Maps with their ratings and rotations',
  Punishment: 'Bans, mutes, kicks and warnings',
  Player: 'Players and their statistics',
  Leaderboard: 'Players ordered by a counter',
  Counter: "The network's own counters",
  Change: 'Changes of all resources, to keep an exact copy',
};

/** Not a second content type: the types of generated clients would then be a union with text. */
const LINES = `With \`Accept: ${JSON_LINES}\` each change is a line, and the last line has \`cursor\` and \`more\`.`;

/** What the document says about the network. */
type Facts = Pick<Config, 'API_URL' | 'AUTH_URL' | 'SITE_URL' | 'NETWORK_NAME'>;

/** The named schemas of the document, which the others refer to. */
type Schemas = Record<string, unknown>;

/** The OpenAPI 3.1 document of the endpoints. */
export function openapiDocument(endpoints: readonly Endpoint[], facts: Facts): object {
  const schemas: Schemas = {};
  const paths = Object.fromEntries(
    endpoints.map((endpoint) => [
      endpoint.path.replaceAll(/:([a-z]+)/g, '{$1}'),
      { get: operationObject(endpoint, schemas) },
    ]),
  );
  const used = new Set(endpoints.map(({ tag }) => tag));
  return {
    openapi: '3.1.0',
    info: infoObject(facts),
    servers: [{ url: facts.API_URL }],
    tags: Object.entries(TAGS).flatMap(([name, description]) => (used.has(name) ? [{ name, description }] : [])),
    security: [{ bearer: [] }, { access_token: [] }, { client_id: [] }, { client_id_header: [] }],
    paths,
    components: {
      schemas,
      headers: Object.fromEntries(
        Object.entries(LIMIT_HEADERS).map(([name, header]) => [name, { ...header, schema: { type: 'integer' } }]),
      ),
      responses: Object.fromEntries(
        Object.entries(ERRORS).map(([status, error]) => [status, errorObject(error, schemas)]),
      ),
      securitySchemes: securitySchemes(facts),
    },
  };
}

const errorObject = ({ code, meaning, example, header, members }: ErrorResponse, schemas: Schemas): object => ({
  description: meaning,
  headers: { ...limitHeaders(), ...(header && headerObject(header)) },
  content: {
    'application/json': {
      schema: jsonSchema(members?.shape ?? errorBody, schemas),
      example: { error: code, error_description: example, ...members?.example },
    },
  },
});

const infoObject = ({ NETWORK_NAME, SITE_URL }: Facts): object => ({
  title: `${NETWORK_NAME} data API`,
  version: VERSION,
  description: DESCRIPTION,
  contact: { name: NETWORK_NAME, url: `${SITE_URL}/developers` },
  license: { name: 'MIT', identifier: 'MIT' },
});

const securitySchemes = ({ AUTH_URL }: Facts): object => ({
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: `An access token from ${AUTH_URL}/oauth/token, or the key of a game server for public data`,
  },
  access_token: { type: 'apiKey', in: 'query', name: 'access_token', description: 'An access token' },
  client_id: {
    type: 'apiKey',
    in: 'query',
    name: 'client_id',
    description: 'A Client ID without a token: public data only, with a lower rate limit',
  },
  client_id_header: { type: 'apiKey', in: 'header', name: 'X-Client-ID', description: 'As `client_id`' },
});

const DESCRIPTION =
  'Read-only statistics of the game network. Send an access token or a Client ID with every request. Every response has ' +
  'headers with the state of the hourly rate limit. Lists are sorted newest first and paged with `max_id`. An error is ' +
  '`{"error": code, "error_description": sentence}`. Unknown parameters are ignored, and an empty one counts as not ' +
  'given. A list is one value with commas, or the parameter for each value: `names=a&names=b`, `names[]=a`, ' +
  '`names[0]=a`; with brackets a comma belongs to the value. ' +
  'Members are added to a resource only when `fields` asks for them; schemas that allow additional members may ' +
  'get more at any time.';

function operationObject(endpoint: Endpoint, schemas: Schemas): object {
  const id = { name: 'id', in: 'path', required: true, description: endpoint.id, schema: { type: 'string' } };
  const others = Object.entries(endpoint.parameters ?? {}).map(([name, schema]) => {
    return { ...parameterObject(name, schema), in: 'path', required: true };
  });
  const query = Object.entries(endpoint.query).map(([name, schema]) => parameterObject(name, schema));
  const statuses = Object.keys(ERRORS).filter((status) => ERRORS[status]!.of?.(endpoint) ?? true);
  const example = EXAMPLES[endpoint.path];
  return {
    tags: [endpoint.tag],
    summary: endpoint.summary,
    description:
      [endpoint.summary, endpoint.price?.description, feedText(endpoint)]
        .filter((sentence) => sentence !== undefined)
        .join('. ') + '.',
    operationId: operationId(endpoint.path),
    ...(endpoint.deprecated !== undefined && { deprecated: true }),
    parameters: [
      ...(endpoint.id === undefined ? [] : [id]),
      ...others,
      ...query,
      ...(endpoint.isStream ? [LAST_EVENT_ID] : []),
    ],
    responses: {
      200: {
        description: 'Success',
        headers: {
          ...(endpoint.isStream ? streamHeaders() : ETAG),
          ...limitHeaders(),
          ...(endpoint.price && COST_HEADER),
        },
        content: {
          [endpoint.isStream ? EVENT_STREAM : 'application/json']: {
            schema: jsonSchema(endpoint.response, schemas),
            ...(example !== undefined && { example }),
          },
        },
      },
      ...(!endpoint.isStream && { 304: notModified() }),
      ...Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/${status}` }])),
    },
  };
}

const ETAG = { ETag: { description: 'Entity tag, for `If-None-Match`', schema: { type: 'string' } } };

const notModified = (): object => ({
  description: 'Not modified: the response still has an entity tag of `If-None-Match`',
  headers: limitHeaders(),
});

const feedText = ({ isFeed, isStream }: Endpoint): string | undefined =>
  isStream ? STREAM_EVENTS : isFeed ? LINES : undefined;

const headerObject = ([name, description]: [string, string]): object => ({
  [name]: { description, schema: { type: 'string' } },
});

function limitHeaders(): object {
  return Object.fromEntries(Object.keys(LIMIT_HEADERS).map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** `/v1/servers/:id/live-match` → `getServersIdLiveMatch` */
function operationId(path: string): string {
  const words = path
    .split(/[/-]/)
    .slice(2)
    .map((word) => word.replace(':', ''));
  return `get${words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('')}`;
}

const INPUT = { ...DESCRIBED, io: 'input' } as const;

/** An array is sent as one comma-separated value, hence `explode: false`. */
function parameterObject(name: string, schema: z.ZodType): Record<string, unknown> {
  const { $schema: _, default: __, description, ...json } = z.toJSONSchema(schema, INPUT);
  const type = name === 'limit' ? { type: 'integer', minimum: 1, default: schema.parse(undefined) } : json;
  const list = json.type === 'array' ? { style: 'form', explode: false } : {};
  return { name, in: 'query', required: false, description, ...list, schema: type };
}

/** The JSON schema of a response. Adds named shapes to `schemas` and refers to them. */
function jsonSchema(schema: z.ZodType, schemas: Schemas): unknown {
  const wrapper = z.toJSONSchema(z.object({ response: schema }), DESCRIBED);
  for (const [name, definition] of Object.entries(wrapper.$defs ?? {})) {
    const { id: _, ...rest } = definition as Record<string, unknown>;
    schemas[name] = withMovedReferences(rest);
  }
  return withMovedReferences((wrapper.properties as Record<string, unknown>)['response']);
}

function withMovedReferences(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema).replaceAll('#/$defs/', '#/components/schemas/'));
}

const EVENT_STREAM = 'text/event-stream';

const LAST_EVENT_ID = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description: 'The `id` of the last event: the stream continues after it. `EventSource` sends it itself',
  schema: { type: 'string' },
};

const STREAM_EVENTS =
  '`event: change` has the cursor as its `id`, and as `data` an item of `/v1/changes` without `resource`. With ' +
  '`presence=1` come `event: presence` (a server as `/v1/servers` gives it) and `event: live` (a match as ' +
  '`/v1/live-matches` gives it; with `phase` `ended` and without most members once there is none), both without `id`, at ' +
  'most one of each a second and server, and first the present state. The stream ends after `event: reset` (`data` is the ' +
  'body of 410), `event: unauthorized` (the token has expired or was revoked, or the application has lost its access) and ' +
  '`event: too_slow` (the client did not read). A comment comes every 15 seconds. An application may have several streams ' +
  'open, of which one at a time reads the past; a stream that waits for another is only late';

const streamHeaders = (): object => ({
  'X-Stream-Limit': { description: 'Streams that may be open at a time', schema: { type: 'integer' } },
  'X-Stream-Remaining': { description: 'How many more may be opened', schema: { type: 'integer' } },
});

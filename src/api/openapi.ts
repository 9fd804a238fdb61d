import { z } from 'zod';
import type { Endpoint } from './endpoint.ts';

const ERRORS: Record<string, string> = {
  400: 'Malformed request',
  401: 'Client ID or access token missing or invalid',
  403: 'The token lacks a scope, or the application has no access to the data API',
  404: 'Not found',
  405: 'The method is not GET, HEAD or OPTIONS',
  429: 'Rate limit exceeded',
  500: 'Internal server error',
  503: 'Temporarily unavailable',
};

const LIMIT_HEADERS = {
  'X-RateLimit-Limit': 'Requests allowed per hour',
  'X-RateLimit-Remaining': 'Requests left before the limit',
  'X-RateLimit-Reset': 'Reset time, Unix timestamp',
};

const errorBody = z.object({ error: z.string(), error_description: z.string() }).meta({ id: 'Error' });

/** The OpenAPI 3.1 document of the endpoints. */
export function openapiOf(
  endpoints: readonly Endpoint[],
  { server, network, tokenUrl }: { server: string; network: string; tokenUrl: string },
): object {
  const schemas: Record<string, unknown> = {};
  const paths = Object.fromEntries(
    endpoints.map((endpoint) => [endpoint.path.replace(':id', '{id}'), { get: operationOf(endpoint, schemas) }]),
  );
  const error = schemaOf(errorBody, schemas);
  return {
    openapi: '3.1.0',
    info: { title: `${network} data API`, version: '1', description: DESCRIPTION },
    servers: [{ url: server }],
    security: [{ bearer: [] }, { access_token: [] }, { client_id: [] }, { client_id_header: [] }],
    paths,
    components: {
      schemas,
      headers: Object.fromEntries(
        Object.entries(LIMIT_HEADERS).map(([name, description]) => [
          name,
          { description, schema: { type: 'integer' } },
        ]),
      ),
      responses: Object.fromEntries(
        Object.entries(ERRORS).map(([status, description]) => [
          status,
          { description, headers: limitHeaders(), content: { 'application/json': { schema: error } } },
        ]),
      ),
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: `An access token from ${tokenUrl}` },
        access_token: { type: 'apiKey', in: 'query', name: 'access_token', description: 'An access token' },
        client_id: {
          type: 'apiKey',
          in: 'query',
          name: 'client_id',
          description: 'A Client ID without a token: public data only, with a lower rate limit',
        },
        client_id_header: { type: 'apiKey', in: 'header', name: 'X-Client-ID', description: 'As `client_id`' },
      },
    },
  };
}

const DESCRIPTION =
  'Read-only statistics of the game network. Send an access token or a Client ID with every request. Every response has ' +
  'headers with the state of the hourly rate limit. Lists are sorted newest first and paged with `max_id`. An error is ' +
  '`{"error": code, "error_description": sentence}`.';

function operationOf(endpoint: Endpoint, schemas: Record<string, unknown>): object {
  const id = { name: 'id', in: 'path', required: true, description: endpoint.id, schema: { type: 'string' } };
  const query = Object.entries(endpoint.query).map(([name, schema]) => parameterOf(name, schema));
  const statuses = Object.keys(ERRORS).filter((status) => status !== '404' || endpoint.id !== undefined);
  return {
    tags: [endpoint.tag],
    summary: endpoint.summary,
    operationId: operationId(endpoint.path),
    ...(endpoint.deprecated !== undefined && { deprecated: true }),
    parameters: [...(endpoint.id === undefined ? [] : [id]), ...query],
    responses: {
      200: {
        description: 'Success',
        headers: { ETag: { schema: { type: 'string' } }, ...limitHeaders() },
        content: { 'application/json': { schema: schemaOf(endpoint.response, schemas) } },
      },
      304: {
        description: 'Not modified: the response still has an entity tag of `If-None-Match`',
        headers: limitHeaders(),
      },
      ...Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/${status}` }])),
    },
  };
}

function limitHeaders(): object {
  return Object.fromEntries(Object.keys(LIMIT_HEADERS).map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** `/v1/players/:id/punishments` → `getPlayersIdPunishments` */
function operationId(path: string): string {
  const words = path
    .split('/')
    .slice(2)
    .map((word) => word.replace(':', ''));
  return `get${words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('')}`;
}

const INPUT = { io: 'input', unrepresentable: 'any' } as const;

function parameterOf(name: string, schema: z.ZodType): object {
  const { $schema: _, default: __, description, ...json } = z.toJSONSchema(schema, INPUT);
  const type = name === 'limit' ? { type: 'integer', minimum: 1, default: schema.parse(undefined) } : json;
  return { name, in: 'query', required: false, description, schema: type };
}

/** The JSON schema of a response. Adds named shapes to `schemas` and refers to them. */
function schemaOf(schema: z.ZodType, schemas: Record<string, unknown>): unknown {
  const wrapper = z.toJSONSchema(z.object({ response: schema }), { unrepresentable: 'any', override: allowMembers });
  for (const [name, definition] of Object.entries(wrapper.$defs ?? {})) {
    const { id: _, ...rest } = definition as Record<string, unknown>;
    schemas[name] = withMovedReferences(rest);
  }
  return withMovedReferences((wrapper.properties as Record<string, unknown>)['response']);
}

/** Members may be added at any time, and clients ignore those they do not know, so no schema excludes others. */
function allowMembers({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
}

function withMovedReferences(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema).replaceAll('#/$defs/', '#/components/schemas/'));
}

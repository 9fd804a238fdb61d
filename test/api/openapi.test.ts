import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { ENDPOINTS } from '#api/index.ts';
import { openapiDocument } from '#api/openapi.ts';
import { openApiDocument } from '#ingest/openapi.ts';
import { testApi } from '#test/support/api.ts';
import { ask, type Reply } from '#test/support/request.ts';
import { createTestDatabase } from '#test/support/context.ts';
import { fill, paths } from './filled-network.ts';

type Json = any; // oxlint-disable-line typescript/no-explicit-any -- the document has no type

const FACTS = {
  API_URL: 'https://api.example.org',
  NETWORK_NAME: 'Probe',
  AUTH_URL: 'https://auth.example.org',
  SITE_URL: 'https://play.example.org',
};
const document: Json = JSON.parse(JSON.stringify(openapiDocument(ENDPOINTS, FACTS)));
const pathOf = (path: string): string => path.replaceAll(/:([a-z]+)/g, '{$1}');

test('the document is valid OpenAPI 3.1', async () => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(structuredClone(document));
  assert.ok(valid, JSON.stringify(errors, null, 2));
  assert.equal(validator.version, '3.1');
});

test('the descriptions say "if" for a condition', () => {
  const conditions = JSON.stringify(document).match(/(empty|null|404|\b0|,) where [^"]*/gi);
  assert.deepEqual(conditions, null);
});

test('the document describes exactly the endpoints with all their parameters', () => {
  assert.deepEqual(Object.keys(document.paths).sort(), ENDPOINTS.map(({ path }) => pathOf(path)).sort());
  for (const endpoint of ENDPOINTS) {
    const { get, ...others } = document.paths[pathOf(endpoint.path)];
    assert.deepEqual(others, {});
    const parameters = get.parameters.map((parameter: Json) => [parameter.in, parameter.name]);
    const inPath = [...endpoint.path.matchAll(/:([a-z]+)/g)].map(([, name]) => ['path', name]);
    assert.deepEqual(
      parameters,
      [
        ...inPath,
        ...Object.keys(endpoint.query).map((name) => ['query', name]),
        ...(endpoint.isStream ? [['header', 'Last-Event-ID']] : []),
      ],
      endpoint.path,
    );
    for (const parameter of get.parameters) assert.ok(parameter.description, `${endpoint.path} ${parameter.name}`);
  }
  const ids = Object.values<Json>(document.paths).map(({ get }) => get.operationId);
  assert.equal(new Set(ids).size, ids.length);
  assert.deepEqual(
    ids.filter((id: string) => !/^get[A-Za-z]+$/.test(id)),
    [],
    'generated clients name functions by them',
  );
});

test('the document has the actual defaults and bounds of parameters', () => {
  const parameters = document.paths['/v1/maps'].get.parameters as Json[];
  const schemas = Object.fromEntries(parameters.map(({ name, schema }) => [name, schema]));
  assert.deepEqual(schemas.limit, { type: 'integer', minimum: 1, default: 20 });
  assert.deepEqual(schemas.max_id, { type: 'string', maxLength: 64 });
  assert.deepEqual(schemas.fields, { type: 'array', items: { type: 'string', enum: ['image_url', 'rotation_order'] } });
  const { style, explode } = parameters.find(({ name }) => name === 'fields');
  assert.deepEqual([style, explode], ['form', false], 'one comma-separated value');
  assert.deepEqual(schemas.playing, { type: 'string', enum: ['0', '1'] });
});

test('every reference of the document resolves', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference]) => reference!);
  assert.ok(references.length > 20);
  for (const reference of new Set(references)) {
    let place: Json = document;
    for (const step of reference.split('/').slice(1)) place = place?.[step];
    assert.ok(place, reference);
  }
});

/** The response schemas of the document. */
class ResponseSchemas {
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });

  constructor() {
    this.#ajv.addSchema(document, 'document');
  }

  of(path: string, status: number): ValidateFunction {
    const escaped = path.replaceAll('/', '~1');
    const steps = ['paths', escaped, 'get', 'responses', String(status), 'content', 'application~1json', 'schema'];
    if (status !== 200) steps.splice(0, 4, 'components', 'responses');
    return this.#ajv.getSchema(`document#/${steps.join('/')}`)!;
  }
}

test('every response matches its schema in the document', async (t) => {
  const database = await createTestDatabase('sqlite');
  const { context, origin, get } = await testApi(t, database.url);
  t.after(() => database.drop());
  const history = paths(await fill(context));
  const schemas = new ResponseSchemas();
  for (const endpoint of ENDPOINTS.filter(({ isStream }) => isStream !== true)) {
    const reply = await get(history[endpoint.path]!);
    const check = schemas.of(pathOf(endpoint.path), 200);
    const { example } = document.paths[pathOf(endpoint.path)].get.responses[200].content['application/json'];
    assert.ok(check(example), `the example of ${endpoint.path} ${JSON.stringify(check.errors)}`);
    assert.ok(check(reply.json), `${endpoint.path} ${JSON.stringify(check.errors)}`);
    await refusesOtherMembers(t, endpoint.path, reply, check);
    const { responses } = document.paths[pathOf(endpoint.path)].get;
    for (const name of Object.keys(responses[200].headers)) assert.ok(reply.headers[name.toLowerCase()], name);
  }
  const refused = [await get('/v1/matches/x'), await get('/v1/maps?limit=x'), await ask(origin, '/v1/maps')];
  refused.push(await get('/v1/maps', { method: 'POST' }));
  assert.deepEqual(
    refused.map(({ status }) => status),
    [404, 400, 401, 405],
  );
  for (const { status, json, headers } of refused) {
    assert.ok(schemas.of('', status)(json));
    for (const name of headersOf(status)) assert.ok(headers[name.toLowerCase()], `${status} ${name}`);
  }
});

const headersOf = (status: number): string[] => Object.keys(document.components.responses[status].headers);

const otherHeadersOf = (status: number): string[] =>
  headersOf(status).filter((name) => !name.startsWith('X-RateLimit-'));

test('the document names the headers by which a client decides what to do next', () => {
  assert.deepEqual([401, 405, 429, 503, 404].map(otherHeadersOf), [
    ['WWW-Authenticate'],
    ['Allow'],
    ['Retry-After'],
    ['Retry-After'],
    [],
  ]);
});

/** The schema is exact: it refuses additional members and missing required members. */
async function refusesOtherMembers(t: TestContext, path: string, reply: Reply, check: ValidateFunction): Promise<void> {
  await t.test(`${path} allows no other members`, () => {
    let objects = 0;
    for (const place of objectsIn(reply.json)) {
      objects++;
      if (isOpenEnded(reply.json, place)) continue;
      const changed = structuredClone(reply.json);
      place(changed)['extra'] = 1;
      assert.ok(!check(changed), `an extra member beside ${Object.keys(place(reply.json)).join()}`);
    }
    assert.ok(objects > 0);
    const [first] = objectsIn(reply.json);
    const changed = structuredClone(reply.json);
    delete first!(changed)[Object.keys(first!(changed))[0]!];
    assert.ok(!check(changed), 'a missing member');
  });
}

/** Members of resources that the specification does not have. */
const OWN_ITEMS = ['killer', 'envdeath_count', 'aggregate', 'phase', 'seen', 'asked', 'rank'];
/** The members of shapes in a match that the specification does not have, and of values by the key of a counter. */
const OWN_SHAPES = [
  ...['uuid,name,team,counters', 'team,color', 'assists'],
  ...['name,score,kill_count,death_count,color', 'name,score,kill_count,death_count,players,color'],
];

/** Whether the specification does not have the object's shape; its schema allows further members. */
function isOpenEnded(root: Json, place: Place): boolean {
  const object = place(root);
  if (OWN_SHAPES.includes(Object.keys(object).join())) return true;
  const isResource = root === object || (Array.isArray(root) && root.includes(object));
  return isResource && OWN_ITEMS.some((member) => member in object);
}

type Place = (root: Json) => Record<string, Json>;

function objectsIn(value: Json, place: Place = (root) => root): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.keys(value).flatMap((key) => objectsIn(value[key], (root) => place(root)[key]));
  return Array.isArray(value) ? inner : [place, ...inner];
}

test('values that are listed as numbers are an enumeration of integers', () => {
  const { type, enum: values, anyOf } = document.components.schemas.Punishment.properties.state;
  assert.deepEqual([type, values, anyOf], ['integer', [0, 1, 2], undefined]);
  const ingest = openApiDocument({ ...FACTS, INGEST_URL: FACTS.API_URL });
  for (const text of [JSON.stringify(document), ingest]) assert.doesNotMatch(text, /"type":"number","(const|enum)":/);
});

test('the document needs no credentials, does not count, and supports HEAD and a trailing slash', async (t) => {
  const database = await createTestDatabase('sqlite');
  const { context, origin, app } = await testApi(t, database.url, { NETWORK_NAME: 'Probe "Net"', ADDRESS_LIMIT: '5' });
  t.after(() => database.drop());
  for (let asked = 0; asked < 10; asked++) {
    const reply = await ask(origin, '/v1/openapi.json/?');
    assert.equal(reply.status, 200);
    assert.equal(reply.headers['x-ratelimit-remaining'], '5');
    assert.equal(reply.headers['access-control-allow-origin'], '*');
    assert.equal(reply.headers['cache-control'], 'public, max-age=300', 'shared caches may keep it');
    assert.equal(reply.json.openapi, '3.1.0');
    assert.equal(reply.json.servers[0].url, context.config.API_URL);
    assert.ok(reply.json.info.title.includes('Probe "Net"'));
  }
  const first = await ask(origin, '/v1/openapi.json', { clientId: app.client_id });
  assert.equal((await ask(origin, '/v1/openapi.json', { method: 'HEAD' })).headers.etag, first.headers.etag);
  const withToken = await ask(origin, '/v1/openapi.json?access_token=x');
  assert.deepEqual([withToken.status, withToken.headers['cache-control']], [200, 'private, no-store']);
  const again = await ask(origin, '/v1/openapi.json', { headers: { 'if-none-match': first.headers.etag! } });
  assert.equal(again.status, 304);
  assert.equal((await ask(origin, '/v1/openapi.json', { method: 'POST' })).status, 401);
});

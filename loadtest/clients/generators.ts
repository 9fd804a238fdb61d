/** A program that generates a client from an OpenAPI document. */
export interface Generator {
  name: string;
  /** The script of its command, below node_modules, and its arguments: it reads `data-api.json` and writes into `out`. */
  command: readonly string[];
  /** The module with the functions, and their arguments as TypeScript. */
  module: string;
  /** The beginning of the program that calls the functions. */
  prologue: (origin: string, token: string) => string;
  call: (operation: Call) => string;
  /** Libraries of TypeScript that its code needs in addition to ES2022 and DOM, although it documents none. */
  undocumentedLibraries: readonly string[];
}

/** One request: the path parameters in their order, and the query, if the operation has them. */
export interface Call {
  operationId: string;
  path: Record<string, string> | undefined;
  query: Record<string, unknown> | undefined;
}

/** Exact versions, installed into a temporary folder: together they are 91 MB, which no other command needs. */
export const PACKAGES = ['@hey-api/openapi-ts@0.99.0', 'orval@8.38.0', 'typescript@5.9.3'] as const;

export const GENERATORS: readonly Generator[] = [
  {
    name: 'hey-api',
    command: ['@hey-api/openapi-ts/bin/run.js', '-i', 'data-api.json', '-o', 'hey-api', '--silent', '--no-log-file'],
    module: './hey-api/index.js',
    prologue: (origin, token) => `import { client } from './hey-api/client.gen.js';
client.setConfig({ baseUrl: ${JSON.stringify(origin)}, auth: ({ type }) => (type === 'http' ? ${JSON.stringify(token)} : undefined) });`,
    call: ({ operationId, path, query }) => {
      const options = { ...(path && { path }), ...(query && { query }) };
      return `api.${operationId}(${JSON.stringify(options)}).then(({ data, error }) => data ?? error)`;
    },
    undocumentedLibraries: ['dom.iterable'],
  },
  {
    name: 'orval',
    command: ['orval/dist/bin/orval.mjs', '--input', 'data-api.json', '--output', 'orval/api.ts', '--client', 'fetch'],
    module: './orval/api.js',
    // Its functions request paths without an origin, as pages do on the origin of the API.
    prologue: (origin, token) => `const plain = globalThis.fetch;
globalThis.fetch = (path, init) => plain(${JSON.stringify(origin)} + String(path), { ...init, headers: { authorization: ${JSON.stringify(`Bearer ${token}`)} } });`,
    call: ({ operationId, path = {}, query }) => {
      const values = [...Object.values(path), query].filter((value) => value !== undefined);
      return `api.${operationId}(${values.map((value) => JSON.stringify(value)).join(', ')}).then(({ data }) => data)`;
    },
    undocumentedLibraries: [],
  },
];

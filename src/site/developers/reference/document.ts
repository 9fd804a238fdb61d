/** The parts of the data API's OpenAPI document (`api/openapi.ts`) that the page shows. */
export interface ApiDocument {
  servers: readonly [{ url: string }];
  tags: readonly { name: string; description: string }[];
  info: { description: string };
  paths: Readonly<Record<string, { get: Operation }>>;
  components: {
    schemas: Readonly<Record<string, Schema>>;
    headers: Readonly<Record<string, Header & { example: number }>>;
    responses: Readonly<Record<string, ResponseObject>>;
    securitySchemes: Readonly<Record<string, { in?: string; name?: string; description: string }>>;
  };
}

export interface Operation {
  tags: readonly string[];
  summary: string;
  operationId: string;
  deprecated?: boolean;
  parameters: readonly Parameter[];
  responses: Readonly<Record<string, ResponseObject | { $ref: string }>>;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description: string;
  schema: Schema;
}

export interface ResponseObject {
  description: string;
  headers?: Readonly<Record<string, Header | { $ref: string }>>;
  /** One type of content: JSON, or events. */
  content?: Readonly<Record<string, Content>>;
}

interface Content {
  schema: Schema;
  example: unknown;
}

/** The body of a response; undefined if it has none. */
export const contentOf = ({ content }: ResponseObject): Content | undefined => Object.values(content ?? {})[0];

interface Header {
  description: string;
}

export interface Schema {
  $ref?: string;
  type?: string;
  description?: string;
  format?: string;
  const?: unknown;
  enum?: readonly (string | number)[];
  default?: unknown;
  maxLength?: number;
  items?: Schema;
  anyOf?: readonly Schema[];
  /** Objects that differ in their `type`. */
  oneOf?: readonly Schema[];
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  additionalProperties?: boolean | Schema;
}

/** The name of the schema that `#/components/schemas/NAME` refers to. */
export const schemaName = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1);

/** A member of a schema; those of nested objects are `teams[].name` and `location.x`. */
export interface Member {
  name: string;
  schema: Schema;
  isRequired: boolean;
}

/** The members of an object, each nested object after the member that has it. */
export function membersOf(schema: Schema, prefix = ''): Member[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const isRequired = schema.required?.includes(name) ?? false;
    return [{ name: prefix + name, schema: member, isRequired }, ...nestedMembers(member, prefix + name)];
  });
}

function nestedMembers(schema: Schema, name: string): Member[] {
  if (schema.items !== undefined) return nestedMembers(schema.items, `${name}[]`);
  const variants = schema.anyOf ?? [schema];
  return variants.flatMap((variant) => membersOf(variant, `${name}.`));
}

/** The first example of each schema, from the examples of the responses. */
export function examplesOf({ paths, components }: ApiDocument): Map<string, unknown> {
  const examples = new Map<string, unknown>();
  const resolved = (schema: Schema): Schema =>
    schema.$ref === undefined ? schema : components.schemas[schemaName(schema.$ref)]!;
  const visit = (schema: Schema, value: unknown): void => {
    for (const variant of schema.oneOf ?? []) if (hasType(resolved(variant), value)) visit(variant, value);
    if (schema.$ref !== undefined) {
      const name = schemaName(schema.$ref);
      if (!examples.has(name)) examples.set(name, value);
      visit(resolved(schema), value);
    }
    if (Array.isArray(value) && schema.items !== undefined) for (const item of value) visit(schema.items, item);
    else if (typeof value === 'object' && value !== null) {
      for (const [name, member] of Object.entries(schema.properties ?? {})) {
        const inner = (value as Record<string, unknown>)[name];
        if (inner !== undefined) visit(member, inner);
      }
    }
  };
  const answers = [
    ...Object.values(paths).map(({ get }) => get.responses[200]),
    ...Object.values(components.responses),
  ];
  for (const answer of answers) {
    const content = contentOf(answer as ResponseObject);
    if (content !== undefined) visit(content.schema, content.example);
  }
  return examples;
}

/** Whether the `type` of a value is one of those of an object. */
const hasType = ({ properties }: Schema, value: unknown): boolean =>
  properties?.['type']?.enum?.includes((value as { type: string }).type) ?? false;

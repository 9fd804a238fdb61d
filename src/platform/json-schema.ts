interface Written {
  jsonSchema: { type?: unknown; const?: unknown; enum?: unknown[] };
}

/** Whole numbers that are listed are integers, of which generators make enumerations. */
function listedIntegers({ jsonSchema }: Written): void {
  const listed = jsonSchema.enum ?? [jsonSchema.const];
  if (jsonSchema.type === 'number' && listed.every(Number.isInteger)) jsonSchema.type = 'integer';
}

/** The options of `z.toJSONSchema` in every document. */
export const DESCRIBED = { unrepresentable: 'any', override: listedIntegers } as const;

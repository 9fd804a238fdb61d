import { weightedValues } from '#text/text.ts';

export type ContentCoding = 'zstd' | 'br' | 'gzip';

/**
 * The content coding for an `Accept-Encoding` header: the one of `codings`, densest first, with the highest weight. `*` means
 * gzip, which every client that sends it can decode; `x-gzip` is another name of it (RFC 9110 section 8.4.1.3). Undefined if
 * the header is missing or prefers `identity`.
 */
export function codingFor<C extends ContentCoding>(accepted: string | undefined, codings: readonly C[]): C | undefined {
  if (accepted === undefined || accepted === '') return undefined;
  const weights = weightedValues(accepted);
  let [best, bestWeight]: [C | undefined, number] = [undefined, 0];
  for (const coding of codings) {
    const weight =
      weights.get(coding) ?? (coding === 'gzip' ? (weights.get('x-gzip') ?? weights.get('*')) : undefined) ?? 0;
    if (weight > bestWeight) [best, bestWeight] = [coding, weight];
  }
  return (weights.get('identity') ?? 0) > bestWeight ? undefined : best;
}

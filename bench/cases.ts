import type { ServiceName } from '#platform/config/config.ts';
import type { BenchClient } from './client.ts';
import { apiCases } from './api.ts';
import type { Case } from './case.ts';
import { signInCases } from './sign-in.ts';
import { siteCases } from './site.ts';

/** The cases of each service, in the order of measurement. */
export const CASES: readonly [ServiceName, (client: BenchClient) => Promise<Case[]>][] = [
  ['API', apiCases],
  ['AUTH', signInCases],
  ['SITE', siteCases],
];

import type { Kit, Show } from '../visit.ts';

export function developerPages(_kit: Kit): Record<string, Show> {
  return {};
}

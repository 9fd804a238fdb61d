import type { AppContext } from '#context/context.ts';
import type { KeyFile } from './key-file.ts';

/** The differences between the network, a server, an application or an account and its entry in the file. */
export interface Change {
  kind: 'network' | 'server' | 'application' | 'account';
  /** The name as it is stored, or as in the file if nothing is stored yet. */
  name: string;
  /** Whether nothing is stored yet. */
  isNew?: boolean;
  /** Of an application that exists. */
  client_id?: string;
  /** `region eu → us` for each property that changes. */
  changes: string[];
  /** A sentence if the change gives or takes power, so that it needs `--yes`. */
  warning?: string;
  /** Carries the change out. @returns new secrets that were not written to the file of keys */
  apply(context: AppContext, keys: KeyFile | undefined): Promise<Record<string, string> | undefined>;
}

/** `region eu → us` for each property of `wanted` that differs from `present`. */
export function differencesOf(present: Record<string, unknown>, wanted: Record<string, unknown>): string[] {
  return Object.entries(wanted)
    .filter(([property, value]) => value !== undefined && shown(present[property]) !== shown(value))
    .map(([property, value]) => `${property} ${shown(present[property])} → ${shown(value)}`);
}

const shown = (value: unknown): string => (Array.isArray(value) ? `[${value.join(', ')}]` : String(value));

import type { DialectName } from '#platform/setting.ts';
import type { Dialect, DialectRoute } from './dialect.ts';
import { dewdrop } from './dewdrop/dewdrop.ts';

const DIALECTS: Readonly<Record<DialectName, Dialect>> = { dewdrop };

export interface DialectMatch {
  dialect: Dialect;
  route: DialectRoute;
  parameters: string[];
}

/** The route of the dialects that are switched on for a path. */
export function dialectRoute(names: readonly DialectName[], path: string): DialectMatch | undefined {
  for (const name of names) {
    const dialect = DIALECTS[name];
    for (const route of dialect.routes) {
      const found = route.path.exec(path);
      if (found !== null) return { dialect, route, parameters: found.slice(1) };
    }
  }
  return undefined;
}

import { type Found, Router } from '#http/router.ts';
import type { DialectName } from '#platform/setting.ts';
import type { Dialect, DialectRoute } from './protocol.ts';
import { dewdrop } from './dewdrop/dewdrop.ts';

const DIALECTS: Readonly<Record<DialectName, Dialect>> = { dewdrop };

/** A route, with the dialect that it belongs to. */
export type DialectMatch = Found<DialectRoute & { dialect: Dialect }>;

/** Finds the routes of the dialects that are switched on. */
export function dialectRoutes(names: readonly DialectName[]): (path: string) => DialectMatch | undefined {
  const dialects = names.map((name) => DIALECTS[name]);
  const router = new Router(
    dialects.flatMap((dialect) =>
      Object.entries(dialect.routes).map(([path, route]) => [path, { ...route, dialect }] as const),
    ),
  );
  return (path) => {
    const found = router.find(path);
    return found !== undefined && found.parameter.length <= (found.route.longest ?? 0) ? found : undefined;
  };
}

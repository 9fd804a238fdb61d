import { type Found, Router } from '#http/router.ts';
import type { AppContext } from '#context/context.ts';
import { installed } from '#platform/process/installed.ts';
import type { ProtocolName } from '#platform/config/setting.ts';
import type { Protocol, ProtocolRoute } from './protocol.ts';

type Context = Pick<AppContext, 'db' | 'clock'>;

const PROTOCOLS: Readonly<Record<ProtocolName, (context: Context) => Promise<Protocol>>> = {
  dewdrop: async (context) => {
    const { openDewdrop } = await installed('packages/dewdrop', () => import('./dewdrop.ts'));
    return openDewdrop(context);
  },
};

/** A route, with the protocol that it belongs to. */
export type ProtocolMatch = Found<ProtocolRoute & { protocol: Protocol }>;

/** Finds the routes of the protocols that are switched on. @throws UsageError if one is not installed */
export async function protocolRoutes(
  context: Context,
  names: readonly ProtocolName[],
): Promise<(path: string) => ProtocolMatch | undefined> {
  const protocols = await Promise.all(names.map((name) => PROTOCOLS[name](context)));
  const router = new Router(
    protocols.flatMap((protocol) =>
      Object.entries(protocol.routes).map(([path, route]) => [path, { ...route, protocol }] as const),
    ),
  );
  return (path) => {
    const found = router.find(path);
    return found !== undefined && (found.parameters[0] ?? '').length <= (found.route.longest ?? 0) ? found : undefined;
  };
}

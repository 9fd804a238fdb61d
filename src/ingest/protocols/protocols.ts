import { type Found, Router } from '#http/router.ts';
import type { AppContext } from '#context/context.ts';
import type { ProtocolName } from '#platform/config/setting.ts';
import type { Protocol, ProtocolRoute } from './protocol.ts';
import { openDewdrop } from './dewdrop.ts';

type Context = Pick<AppContext, 'db' | 'clock'>;

const PROTOCOLS: Readonly<Record<ProtocolName, (context: Context) => Protocol>> = { dewdrop: openDewdrop };

/** A route, with the protocol that it belongs to. */
export type ProtocolMatch = Found<ProtocolRoute & { protocol: Protocol }>;

/** Finds the routes of the protocols that are switched on. */
export function protocolRoutes(
  context: Context,
  names: readonly ProtocolName[],
): (path: string) => ProtocolMatch | undefined {
  const protocols = names.map((name) => PROTOCOLS[name](context));
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

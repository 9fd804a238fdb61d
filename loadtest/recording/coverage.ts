import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { TYPES } from '#events/schema/index.ts';
import { SmartRouter } from 'hono/router/smart-router';

interface Answered {
  method: string;
  path: string;
}

/** The routes of all services, as `GET /players/:id`. */
export interface Routes {
  all(): string[];
  /** Adds those that no page has registered: of the services that answer JSON. */
  add(routes: Iterable<string>): void;
  /** Those that were never answered with a status below 400. */
  missing(): string[];
}

/** Notes the routes of the pages when they are registered, and every response of this process. */
export function watchRoutes(): Routes {
  const registered = new Set<string>();
  const { prototype } = SmartRouter;
  // oxlint-disable-next-line typescript/unbound-method -- Reflect.apply passes the router
  prototype.add = new Proxy(prototype.add, {
    apply: (add, router, [method, path, handler]: [string, string, unknown]) => {
      if (method !== 'ALL') registered.add(`${method} ${path}`);
      Reflect.apply(add, router, [method, path, handler]);
    },
  });
  const answered: Answered[] = [];
  subscribe('http.server.request.start', (message) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    const [path = '/'] = request.url!.split('?');
    // Not its end, which a stream of events does not have.
    response.once('close', () => {
      if (response.statusCode < 400) answered.push({ method: request.method!, path });
    });
  });
  return {
    all: () => [...registered].sort(),
    add: (routes) => [...routes].forEach((route) => registered.add(route)),
    missing: () => [...registered].filter((route) => !answered.some((one) => matches(route, one))).sort(),
  };
}

export const missingCommands = (commands: readonly string[], ran: readonly string[][]): string[] =>
  commands.filter((words) => !ran.some((args) => commandIn(args, commands) === words));

/** The longest command name at the start of the arguments: `server key list` rather than `server`. */
function commandIn(args: readonly string[], commands: readonly string[]): string | undefined {
  const text = `${args.join(' ')} `;
  return commands.filter((words) => text.startsWith(`${words} `)).sort((a, b) => b.length - a.length)[0];
}

export const missingTypes = (types: ReadonlySet<string>): string[] => TYPES.filter((type) => !types.has(type));

function matches(route: string, { method, path }: Answered): boolean {
  const [wanted, pattern = ''] = route.split(' ');
  const form = pattern
    .replace(/[.+?^$()|[\]\\]/g, '\\$&')
    .replace(/:\w+|\{\w+\}/g, '[^/]+')
    .replace('*', '.*');
  return method === wanted && new RegExp(`^${form}/?$`).test(path);
}

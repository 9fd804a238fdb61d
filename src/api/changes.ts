import { z } from 'zod';
import { changeItem } from '#http/change-item.ts';
import { HttpError, invalidRequest } from '#http/errors.ts';
import { weightedValues } from '#text/text.ts';
import { type Cursor, cursorAfter, resetReason, type ResetReason } from '#store/game/change-cursors.ts';
import {
  type Change,
  CHANGE_TYPES,
  type ChangeType,
  changesWithFeed,
  type Feed,
  readFeed,
  RESOURCE_KINDS,
  type ResourceKind,
} from '#store/game/changes.ts';
import {
  type Deps,
  type Endpoint,
  endpoint,
  type EndpointContext,
  fieldsOf,
  flag,
  JSON_LINES,
  RenderedBody,
} from './endpoint.ts';
import { GameMapShape, mapsJson } from './maps.ts';
import { MatchShape, matchesJson } from './matches.ts';
import { PlayerShape, playersJson } from './players.ts';
import { PunishmentShape, punishmentsJson } from './punishments.ts';
import { id, timestamp } from './schemas.ts';
import { ServerShape, serversJson } from './servers.ts';
import { StreamStart } from './open-streams.ts';

const PAGE = 100;
const MAX_PAGE = 1000;
/** A page of any size costs one request. */
const MAX_EXPANDED = 100;
const FILLING_RETRY_S = '60';

/** How the API gives each kind: its shape, and several resources as JSON, as their own endpoint gives them. */
const RESOURCES: Record<
  ResourceKind,
  { shape: z.ZodType; json: (deps: Deps, keys: readonly number[]) => Promise<Map<number, string>> }
> = {
  match: { shape: MatchShape, json: matchesJson },
  map: { shape: GameMapShape, json: mapsJson },
  punishment: { shape: PunishmentShape, json: punishmentsJson },
  player: { shape: PlayerShape, json: playersJson },
  server: { shape: ServerShape, json: serversJson },
};

const TYPE_NAMES = Object.keys(CHANGE_TYPES) as ChangeType[];

const changeOf = (kind: ResourceKind) =>
  z
    .object({
      id,
      type: z.enum(TYPE_NAMES.map((type) => `${kind}.${type}`)).meta({
        description: '`withdrawn`, `merged` and `erased`: remove it; otherwise store it',
      }),
      revision: z.int().min(1).meta({ description: 'A higher one replaces a lower one' }),
      time: timestamp,
      url: z.url().optional().meta({ description: 'Where the resource is; absent if it was removed' }),
      resource: RESOURCES[kind].shape.optional().meta({ description: 'With `expand=1`, unless it was removed' }),
    })
    .meta({ id: `${kind[0]!.toUpperCase()}${kind.slice(1)}Change` });

const [firstChange, ...otherChanges] = RESOURCE_KINDS.map(changeOf);

const Page = z
  .object({
    changes: z.array(z.discriminatedUnion('type', [firstChange!, ...otherChanges])),
    cursor: z.string().meta({ description: 'Pass it as `after` of the next request; opaque' }),
    more: z.boolean().meta({ description: 'Whether there are more changes now' }),
  })
  .meta({ id: 'Changes' });

const START = '0';
/** The end of the feed. Who only wants new changes does not read the present state first. */
const NOW = 'now';

/** The filter of `/v1/changes` and its stream. */
const types = fieldsOf(RESOURCE_KINDS).meta({
  description: 'Only resources of these kinds, comma-separated; removals of all kinds are always in the list',
  type: 'array',
  items: { type: 'string', enum: RESOURCE_KINDS },
});

const query = {
  after: z.string().default(START).meta({
    description: 'Only changes after this cursor; `0`: all resources of the present, once; `now`: a cursor alone',
  }),
  types,
  limit: z
    .string()
    .regex(/^0*[1-9]\d*$/, `must be a whole number from 1; above ${MAX_PAGE} counts as ${MAX_PAGE}`)
    .transform((value) => Math.min(MAX_PAGE, Number(value)))
    .default(PAGE)
    .meta({ description: `Number of changes, 1 to ${MAX_PAGE}, with \`expand=1\` to ${MAX_EXPANDED}` }),
  expand: flag('1 adds the resources, as their own endpoints give them'),
};

export const changes: Endpoint[] = [
  endpoint({
    path: '/v1/changes',
    tag: 'Change',
    summary: 'Changes of all resources in their order, to mirror them',
    query,
    response: Page,
    isFeed: true,
    isPaced: async ({ deps, caller, query: { after } }) => {
      if (after === NOW) return false;
      if (after !== START) return await deps.walks.isGranted(caller, deps.cursors.read(after));
      return (await readFeed(deps.db)).isFilled && (await deps.walks.isGranted(caller, undefined));
    },
    handle: async (endpointContext) => {
      const { deps, query: given } = endpointContext;
      if (endpointContext.isPaced && endpointContext.caller.kind === 'application')
        await deps.walks.pace(endpointContext.caller.application);
      const limit = given.expand ? Math.min(MAX_EXPANDED, given.limit) : given.limit;
      if (!given.expand) return await page(endpointContext, deps, { ...given, limit });
      await using db = await deps.snapshot();
      return await page(endpointContext, { ...deps, db }, { ...given, limit });
    },
  }),
  endpoint({
    path: '/v1/changes/stream',
    tag: 'Change',
    summary: 'Changes as Server-Sent Events: those after a cursor, then each when it happens',
    query: {
      after: z
        .string()
        .default(NOW)
        .meta({
          description:
            'Begin after this cursor; `0`: with all resources of the present; `now`, the default: with the next change. ' +
            'The header `Last-Event-ID` comes before it',
        }),
      types,
      presence: flag('1 adds the presence on servers and the running matches'),
    },
    response: z.string(),
    isFeed: true,
    isStream: true,
    handle: async ({ deps, lastEventId, query: { after, types: kinds, presence } }) => {
      const place = lastEventId === '' ? after : lastEventId;
      const cursor = place === START || place === NOW ? undefined : requiredCursor(deps, place);
      const feed = await readFeed(deps.db);
      if (!feed.isFilled) throw filling();
      const { id, head } = feed;
      const from = cursor ?? (place === START ? { feed: id, number: 0, walk: { head } } : { feed: id, number: head });
      const reason = resetReason(from, feed);
      if (reason !== undefined) throw new ResetRequired(reason);
      return new StreamStart({ from, head, kinds: kinds.size === 0 ? RESOURCE_KINDS : [...kinds].sort(), presence });
    },
  }),
];

interface PageQuery {
  after: string;
  types: ReadonlySet<ResourceKind>;
  limit: number;
  expand: boolean;
}

async function page(endpointContext: EndpointContext, deps: Deps, { after, types, limit, expand }: PageQuery) {
  const cursor = after === START || after === NOW ? undefined : requiredCursor(deps, after);
  const place = after === NOW ? Number.MAX_SAFE_INTEGER : (cursor?.number ?? 0);
  const kinds = types.size === 0 ? RESOURCE_KINDS : [...types];
  const { feed, changes: shown, end, more } = await changesWithFeed(deps.db, place, limit, kinds);
  if (!feed.isFilled) throw filling();
  const from = cursor ?? (after === NOW ? { feed: feed.id, number: feed.head } : beginning(endpointContext, feed));
  const reason = resetReason(from, feed);
  if (reason !== undefined) throw new ResetRequired(reason);
  const next = deps.cursors.write(cursorAfter(from, end));
  const items = await itemsJson(deps, shown, expand);
  return body(items, JSON.stringify({ cursor: next, more }), endpointContext.accept);
}

/** @throws HttpError 400 */
function requiredCursor({ cursors }: Deps, after: string): Cursor {
  const cursor = cursors.read(after);
  if (cursor === undefined)
    throw invalidRequest('after must be 0, now, or a cursor from a response of /v1/changes, unchanged.');
  return cursor;
}

/** The place of a new follower. */
function beginning({ deps, caller, isPaced }: EndpointContext, { id: feed, head }: Feed): Cursor {
  const application = isPaced && caller.kind === 'application' ? caller.application.key : undefined;
  const grant = application === undefined ? undefined : { application, began: deps.clock.now() };
  return { feed, number: 0, walk: { head, grant } };
}

/** Each change as JSON. */
async function itemsJson(deps: Deps, found: readonly Change[], expand: boolean): Promise<string[]> {
  const resources = expand ? await resourcesJson(deps, found) : undefined;
  return found.map((change) => {
    const item = JSON.stringify(changeItem(deps, change));
    const resource = resources?.get(change);
    return resource === undefined ? item : `${item.slice(0, -1)},"resource":${resource}}`;
  });
}

/** The resources of changes as JSON, with the statements of one resource of each kind. */
async function resourcesJson(deps: Deps, found: readonly Change[]): Promise<Map<Change, string>> {
  const present = found.filter(({ type }) => !CHANGE_TYPES[type].removes);
  const resources = new Map<Change, string>();
  for (const [kind, ofKind] of Map.groupBy(present, (change) => change.kind)) {
    const json = await RESOURCES[kind].json(
      deps,
      ofKind.map(({ key }) => key),
    );
    for (const change of ofKind) if (json.has(change.key)) resources.set(change, json.get(change.key)!);
  }
  return resources;
}

/** @param end the last members of the page as JSON */
function body(items: readonly string[], end: string, accept: string): RenderedBody {
  if (weightedValues(accept).has(JSON_LINES))
    return new RenderedBody(
      [...items, end].map((item) => `${item}\n`),
      undefined,
      undefined,
      JSON_LINES,
    );
  const pieces = items.map((item, index) => (index === 0 ? item : `,${item}`));
  return new RenderedBody(['{"changes":[', ...pieces, `],${end.slice(1)}`]);
}

function filling(): HttpError {
  const sentence = 'The feed of changes is being filled after an upgrade. Please try again later.';
  return new HttpError(503, 'temporarily_unavailable', sentence, { 'retry-after': FILLING_RETRY_S });
}

const RESETS: Record<ResetReason, string> = {
  expired: 'Removals after this cursor are no longer stored',
  other_feed: 'This cursor belongs to another feed: the database was restored from a backup, or has another secret key',
  beyond_head: 'This cursor is beyond the end of the feed',
};

/** 410: the follower has to begin again. */
export class ResetRequired extends HttpError {
  readonly reason: ResetReason;

  constructor(reason: ResetReason) {
    super(410, 'cursor_gone', `${RESETS[reason]}. Delete your copy and begin again with after=0.`);
    this.reason = reason;
  }

  override get body(): string {
    return JSON.stringify({
      error: this.code,
      error_description: this.message,
      reason: this.reason,
      reset: true,
    });
  }
}

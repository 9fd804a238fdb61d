import { LIMITS } from '#http/limits.ts';
import { rateLimit } from '#http/rate-limits.ts';
import type { Language } from '#http/languages.ts';
import { TYPES_OF_SERVERS } from '#events/schema/index.ts';
import { METRICS, MODES } from '#store/game/leaderboards/leaderboards.ts';
import { COUNTERS } from '#store/game/statistics-groups.ts';
import { PERIODS, RETAINED_BUCKETS } from '#store/game/time-buckets.ts';
import type { Deps, PageHandler, PageRequest } from '../page-request.ts';
import { type PageName, pathOf } from './components.ts';
import { guidePage, type Placeholders } from './guide.ts';
import type { ApiDocument } from './reference/document.ts';
import { referencePage } from './reference/page.ts';
import { RUN_PATH, runRedirect } from './reference/run.ts';
import { en, type Text } from './text/en.ts';
import { ja } from './text/ja.ts';

const TEXTS: Record<Language, Text> = { en, ja };

const GUIDES = (Object.keys(en.pages) as PageName[]).filter((name) => name !== 'reference');

/** The pages below `/developers`, by path. */
export function developerPages({ config, apiDocument }: Deps): Record<string, PageHandler> {
  const placeholders: Placeholders = {
    api: config.API_URL,
    auth: config.AUTH_URL,
    ingest: config.INGEST_URL,
    client_id: 'YOUR_CLIENT_ID',
    client_secret: 'YOUR_CLIENT_SECRET',
    token: 'YOUR_ACCESS_TOKEN',
    player: 'PLAYER_NAME',
    redirect: 'http://127.0.0.1:8000/callback',
    server_key: 'YOUR_SERVER_KEY',
  };
  let loaded: Promise<object> | undefined;
  const document = async (): Promise<ApiDocument> => (await (loaded ??= apiDocument())) as ApiDocument;
  const guides = GUIDES.map((name): [string, PageHandler] => [
    pathOf(name),
    async (request) => guidePage(request, name, TEXTS[request.language], { ...placeholders, ...facts(request) }),
  ]);
  return {
    ...Object.fromEntries(guides),
    [pathOf('reference')]: async (request) => await referencePage(request, TEXTS[request.language], await document()),
    [RUN_PATH]: async (request) => runRedirect(request, await document()),
  };
}

/** The settings that the guides name. */
const SETTINGS = [
  ...(['USER_LIMIT', 'APP_LIMIT', 'ADDRESS_LIMIT', 'SERVER_LIMIT'] as const),
  ...(['TOKEN_LIMIT', 'LIVE_TOKEN_LIMIT', 'STREAM_LIMIT'] as const),
];
const DAY_S = 86_400;

/** The values of the placeholders of the guides. */
function facts({ deps: { config }, formats: { number } }: PageRequest): Record<string, string> {
  return {
    ...Object.fromEntries(SETTINGS.map((name) => [name, number(config[name])])),
    network: config.NETWORK_NAME,
    change_days: number(Math.floor(config.CHANGES_LIFETIME / DAY_S)),
    walk_pages: number(rateLimit(config, 'walkPage', 'application').max),
    open_streams: number(LIMITS.openStream.max.network),
    event_types: TYPES_OF_SERVERS.map((type) => `- \`${type}\``).join('\n'),
    modes: codes(MODES),
    periods: codes(PERIODS),
    metrics: codes(METRICS.map((metric) => COUNTERS[metric].wire)),
    oldest: Object.entries(RETAINED_BUCKETS).map(([name, count]) => `\`${name}\` 0–${count - 1}`).join(', '), // prettier-ignore
  };
}

const codes = (values: readonly string[]): string => values.map((value) => `\`${value}\``).join(', ');

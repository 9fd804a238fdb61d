import { getRequestListener } from '@hono/node-server';
import type { HttpService } from '#http/service.ts';
import { ClientAddresses } from '#http/client-address.ts';
import { brandAssets } from '#http/assets.ts';
import { openSecretKey } from '#platform/crypto/secret-key.ts';
import type { PageShell } from '#http/page.ts';
import type { AppContext } from '#context/context.ts';
import { ConsoleClient } from './oauth-client.ts';
import { Cookies } from './cookies.ts';
import type { Deps } from './deps.ts';
import { createPages } from './pages.ts';

const ASSETS = '/console/assets/';

/** Opens the console, the pages of application owners and operators, served below `/console` of the site. */
export async function openConsole(context: AppContext): Promise<HttpService> {
  const { config, db, clock, log, mail } = context;
  const assets = brandAssets(config, ASSETS).addFile('console.css', new URL('style/console.css', import.meta.url));
  const shell: PageShell = {
    network: config.NETWORK_NAME,
    home: '/',
    assets,
    stylesheets: ['base.css', 'console.css'],
    scripts: ['copy.js'],
  };
  const key = openSecretKey(config);
  const client = await ConsoleClient.open({ config, db, clock, key });
  const secure = config.SITE_URL.startsWith('https:');
  const cookies = new Cookies(clock, key, secure);
  const deps: Deps = { config, db, clock, log, mail, shell, client, cookies, secure };
  const pages = createPages(deps, new ClientAddresses(config.TRUSTED_PROXIES));
  const handle = getRequestListener(pages.fetch, { overrideGlobalObjects: false });
  return { listener: (request, response) => void handle(request, response) };
}

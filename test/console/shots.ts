import { isWanted, looksIn, shoot, type Wanted } from '#test/support/shots.ts';
import { openBrowserWorld, signInBrowser } from './browser.ts';

const WELCOME = 'console-welcome';

/**
 * Takes screenshots of the requested console pages.
 * @returns the number of pages
 */
export async function shootConsole(wanted: Wanted): Promise<number> {
  await using world = await openBrowserWorld();
  const { browser, services } = world;
  const named = world.pages.map(({ name, path }) => ({ name: `console-${name}`, path }));
  const pages = named.filter(({ name }) => isWanted(wanted, name));
  const welcome = isWanted(wanted, WELCOME) ? 1 : 0;
  if (pages.length + welcome === 0) return 0;
  for (const { look, options } of looksIn(wanted.language)) {
    const page = await browser.newPage(options);
    if (welcome > 0) await shoot(page, `${services.site}/console`, `${WELCOME}-${look}`);
    await signInBrowser(page, services, 'Mariner');
    for (const { name, path } of pages) await shoot(page, services.site + path, `${name}-${look}`);
    await page.close();
  }
  return pages.length + welcome;
}

import { NETWORK } from '#demo/network/index.ts';
import { PICTURE_SIZE, type ReadmePicture, takeReadmePicture } from '#test/support/readme-pictures.ts';
import { isWanted, looksIn, shoot, type Wanted } from '#test/support/shots.ts';
import { type BrowserWorld, openBrowserWorld, openClosedWorld, openEmptyWorld, signInBrowser } from './browser.ts';

const WELCOME = 'console-welcome';

/**
 * Takes screenshots of the requested console pages, with data and of an empty network.
 * @returns the number of pages
 */
export async function shootConsole(wanted: Wanted): Promise<number> {
  return (
    (await shootWorld(wanted, 'console', openBrowserWorld)) +
    (await shootWorld(wanted, 'console-empty', openEmptyWorld)) +
    (await shootWorld(wanted, 'console-closed', openClosedWorld))
  );
}

/**
 * Takes those pictures of README.md that show the console, with the name of the sample network.
 * @returns the pictures taken
 */
export async function shootConsoleForReadme(pictures: readonly ReadmePicture[]): Promise<ReadmePicture[]> {
  await using opened = await openBrowserWorld({ NETWORK_NAME: NETWORK });
  const { browser, services, pages } = opened;
  const page = await browser.newPage({ viewport: PICTURE_SIZE, colorScheme: 'light', locale: 'en' });
  await signInBrowser(page, services, 'Mariner');
  const taken: ReadmePicture[] = [];
  for (const picture of pictures) {
    const shown = pages.find(({ name }) => `console-${name}` === picture.page);
    if (shown === undefined) continue;
    await takeReadmePicture(page, services.site + shown.path, picture);
    taken.push(picture);
  }
  return taken;
}

type OpenWorld = () => Promise<Omit<BrowserWorld, 'world'>>;

async function shootWorld(wanted: Wanted, prefix: string, open: OpenWorld): Promise<number> {
  await using opened = await open();
  const { browser, services } = opened;
  const named = opened.pages.map((page) => ({ ...page, name: `${prefix}-${page.name}` }));
  const pages = named.filter(({ name }) => isWanted(wanted, name));
  const welcome = prefix === 'console' && isWanted(wanted, WELCOME) ? 1 : 0;
  if (pages.length + welcome === 0) return 0;
  for (const { look, options } of looksIn(wanted.language)) {
    const page = await browser.newPage(options);
    if (welcome > 0) await shoot(page, { address: `${services.site}/console`, name: `${WELCOME}-${look}` });
    await signInBrowser(page, services, 'Mariner');
    for (const { name, path, press, error } of pages)
      await shoot(page, { address: services.site + path, name: `${name}-${look}`, open: press, error });
    await page.close();
  }
  return pages.length + welcome;
}

/** Takes a picture of every page of the console into data/shots/: `node test/console/shots.ts [part of a name]`. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { signInBrowser, openBrowserWorld } from './browser.ts';

const FOLDER = 'data/shots';
const [wanted = '', language = 'en'] = process.argv.slice(2);
mkdirSync(FOLDER, { recursive: true });
await using world = await openBrowserWorld();
for (const [size, viewport] of Object.entries({
  narrow: { width: 390, height: 844 },
  wide: { width: 1280, height: 900 },
})) {
  for (const colorScheme of ['light', 'dark'] as const) {
    const context = await world.browser.newContext({
      viewport,
      colorScheme,
      locale: language,
      reducedMotion: 'reduce',
    });
    const page = await context.newPage();
    if ('welcome'.includes(wanted)) {
      await page.goto(`${world.house.site}/console`);
      await page.screenshot({ path: join(FOLDER, `console-welcome-${size}-${colorScheme}.png`), fullPage: true });
    }
    await signInBrowser(page, world.house, 'Mariner');
    for (const { name, path } of world.pages.filter((one) => one.name.includes(wanted))) {
      await page.goto(world.house.site + path);
      await page.screenshot({ path: join(FOLDER, `console-${name}-${size}-${colorScheme}.png`), fullPage: true });
    }
    await context.close();
  }
}

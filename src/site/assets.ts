import type { Assets } from '#http/assets.ts';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { colourRules, hueRules } from './components/colours.ts';

const HERE = new URL('./', import.meta.url);
const require = createRequire(import.meta.url);

/** Adds the site's own files to the assets that all services share. */
export function addSiteAssets(assets: Assets): Assets {
  const stylesheet = readFileSync(new URL('style/site.css', HERE), 'utf8');
  return assets
    .add('site.css', `${stylesheet}\n${colourRules()}\n${hueRules()}\n`)
    .addFile('site.js', new URL('script/site.js', HERE))
    .addFile('reference.js', new URL('script/reference.js', HERE))
    .addFile('reference.css', new URL('style/reference.css', HERE))
    .addFile('swagger-ui.css', require.resolve('swagger-ui-dist/swagger-ui.css'))
    .addFile('swagger-ui.js', require.resolve('swagger-ui-dist/swagger-ui-bundle.js'));
}

import type { Assets } from '#http/assets.ts';
import { readFileSync } from 'node:fs';
import { colourRules, hueRules } from './components/colours.ts';

const HERE = new URL('./', import.meta.url);

/** Adds the site's own files to the assets that all services share. */
export function addSiteAssets(assets: Assets): Assets {
  const stylesheet = readFileSync(new URL('style/site.css', HERE), 'utf8');
  return assets
    .add('site.css', `${stylesheet}\n${colourRules()}\n${hueRules()}\n`)
    .addFile('site.js', new URL('script/site.js', HERE))
    .addFile('live.js', new URL('script/live.js', HERE))
    .addFile('reference.js', new URL('script/reference.js', HERE));
}

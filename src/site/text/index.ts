import type { Language } from '#base/languages.ts';
import { en } from './en.ts';
import { ja } from './ja.ts';

/** Every sentence of the site in one language. */
export type Text = typeof en;

export const TEXTS: Record<Language, Text> = { en, ja };

import type { Language } from '#base/languages.ts';
import { en } from './en.ts';
import { ja } from './ja.ts';

/** What the developers' pages say in one language. Paragraphs may hold `code` between backticks. */
export type Text = typeof en;

export const TEXTS: Record<Language, Text> = { en, ja };

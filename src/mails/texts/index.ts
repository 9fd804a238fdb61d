import type { Language } from '#http/languages.ts';
import { en, type Texts } from './en.ts';
import { ja } from './ja.ts';

export type { Texts } from './en.ts';

export const TEXTS: Record<Language, Texts> = { en, ja };

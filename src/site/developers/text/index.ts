import type { Language } from '#http/languages.ts';
import { en, type Text } from './en.ts';
import { ja } from './ja.ts';

export type { Text } from './en.ts';

export const TEXTS: Record<Language, Text> = { en, ja };

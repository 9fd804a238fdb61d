import type { GameTexts } from './en.ts';

/** The name of a punishment type, which any network may add to: a type without a name as the server reported it. */
export function punishmentTypeName(names: GameTexts['punishmentTypes'], type: string): string {
  const key = type.toLowerCase();
  return Object.hasOwn(names, key) ? names[key]! : type;
}

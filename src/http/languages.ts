/** The languages that pages speak; English stands for every other. */
export const LANGUAGES = ['en', 'ja'] as const;
export type Language = (typeof LANGUAGES)[number];

/** Each language by its own name, for links to it. */
export const LANGUAGE_NAMES: Record<Language, string> = { en: 'English', ja: '日本語' };

/**
 * The language of a page: the first of ours among what was asked for, then what the browser prefers.
 * @param asked language tags by choice: a query parameter, a cookie, `ui_locales` (blank-separated)
 * @param accepted `Accept-Language` (RFC 9110 section 12.5.4)
 */
export function chooseLanguage(asked: readonly (string | undefined)[], accepted: string | undefined): Language {
  const wanted = asked.flatMap((tags) => tags?.split(/\s+/) ?? []);
  const preferred = (accepted ?? '').slice(0, 512).split(',').map(weightOf).sort(byWeight);
  const tags = [...wanted, ...preferred.filter(({ weight }) => weight > 0).map(({ tag }) => tag)];
  return tags.map(languageOf).find((language) => language !== undefined) ?? 'en';
}

function languageOf(tag: string): Language | undefined {
  const primary = tag.trim().toLowerCase().split('-')[0];
  return LANGUAGES.find((language) => language === primary);
}

function weightOf(part: string): { tag: string; weight: number } {
  const [tag = '', quality] = part.split(';').map((text) => text.trim());
  const weight = quality === undefined ? 1 : Number(quality.replace(/^q=/i, ''));
  return { tag, weight: Number.isFinite(weight) ? weight : 0 };
}

const byWeight = (a: { weight: number }, b: { weight: number }): number => b.weight - a.weight;

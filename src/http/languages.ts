import { weightedValues } from '#text/text.ts';

/** The languages of the pages. Readers of any other language get English. */
export const LANGUAGES = ['en', 'ja'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The name of each language in that language. */
export const LANGUAGE_NAMES: Record<Language, string> = { en: 'English', ja: '日本語' };

/** The locale of numbers and times in each language: the day before the month, 24 hours. */
export const LOCALES: Record<Language, string> = { en: 'en-GB', ja: 'ja-JP' };

/** The colon between a name and its value in each language. */
export const COLON: Record<Language, string> = { en: ': ', ja: '：' };

/**
 * Chooses the language of a page: the first supported one among the explicit choices, else among `Accept-Language`.
 * @param choices language tags in order of precedence, each a space-separated list: `lang`, a cookie, `ui_locales`
 * @param accepted `Accept-Language` (RFC 9110 section 12.5.4)
 */
export function chooseLanguage(choices: readonly (string | undefined)[], accepted: string | undefined): Language {
  const chosen = choices.flatMap((tags) => tags?.split(/\s+/) ?? []);
  const preferred = [...weightedValues((accepted ?? '').slice(0, 512))].sort(([, a], [, b]) => b - a);
  const tags = [...chosen, ...preferred.flatMap(([tag, weight]) => (weight > 0 ? [tag] : []))];
  return tags.map(supportedLanguage).find((language) => language !== undefined) ?? 'en';
}

function supportedLanguage(tag: string): Language | undefined {
  const primary = tag.trim().toLowerCase().split('-')[0];
  return LANGUAGES.find((language) => language === primary);
}

export type FormatTime = (ms: number) => string;

/** Formats times of pages in the network's time zone. */
export function timeFormatter(lang: Language, timeZone: string): FormatTime {
  const format = new Intl.DateTimeFormat(LOCALES[lang], { dateStyle: 'medium', timeStyle: 'short', timeZone });
  return (ms) => format.format(ms);
}

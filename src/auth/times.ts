import { type Language, LOCALES } from '#http/languages.ts';

export type FormatTime = (ms: number) => string;

/** Formats times of the account pages in the network's time zone, which the footer of the page names. */
export function timeFormatter(lang: Language, timeZone: string): FormatTime {
  const format = new Intl.DateTimeFormat(LOCALES[lang], { dateStyle: 'medium', timeStyle: 'short', timeZone });
  return (ms) => format.format(ms);
}

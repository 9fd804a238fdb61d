/** A number with its noun in English: "1 person", "1,078 shots". A text is a formatted number. */
export const amount = (count: number | string, noun: string, nouns = `${noun}s`): string =>
  `${count} ${String(count) === '1' ? noun : nouns}`;

import { amount } from '#text/amount.ts';

/** English texts about who read the data of a game account; ja-reads.ts has the same keys in Japanese. */
export const reads = {
  title: 'Who read your data',
  lead: 'Applications that asked for the data of your game account, by day, in the last 31 days. Leaderboards, matches, live data and the feed of changes are the same for all, and reading them is not counted.',
  none: 'None.',
  requests: (count: number) => amount(count, 'request'),
  until: (timestamp: string) => `Counted until ${timestamp}`,
  not_counted: 'Nothing has been counted yet.',
  deleted: 'An application that is deleted',
};

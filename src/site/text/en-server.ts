/** The texts of a server's page. */
export const server = {
  describe: (server: string, network: string) => `Who is on ${server} of ${network}, and the match that runs there.`,
  running: 'Running now',
  phases: { starting: 'Starting soon', running: 'Running', finished: 'Over, result not reported yet' },
  noMatch: 'No match is running.',
  reload: 'Reload',
  next: (map: string) => `Next map: ${map}`,
  elapsed: 'Time',
  participants: 'Playing',
  observers: 'Watching',
  unreported: 'Seen without a result',
  unreportedNote: 'This server was seen playing these matches, but nobody has reported how they ended.',
};

/** What screen readers announce while a page follows. */
export const live = {
  finished: (map: string) => `A match on ${map} has ended.`,
  counted: 'This match counts.',
};

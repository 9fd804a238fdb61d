/** The English texts of jobs, and of the pages that ask before something is done that cannot be undone. */
export const jobs = {
  jobs: {
    lead: 'Withdrawing events, merging players, anonymising deleted ones and counting a counter again runs in small steps beside everything else.',
    none: 'There have been no jobs yet.',
    job: 'Job',
    about: 'About',
    progress: 'Progress',
    started: 'Started',
    ended: 'Ended',
    error: 'Error',
    kinds: {
      withdrawal: 'Withdrawal of events',
      merge: 'Merge of players',
      anonymisation: 'Anonymisation',
      counters: 'Counting of a counter',
    },
    states: { waiting: 'running', pausing: 'pausing', paused: 'paused', done: 'done', failed: 'failed' },
    of: (done: string, total: string) => `${done} of ${total}`,
    pause: 'Pause',
    pause_hint: 'What has been done stays. The job can be continued later.',
    resume: 'Continue',
    refreshes: 'This page reloads by itself while the job runs.',
    holds: 'Later jobs wait until this one is complete, because the records of its player are in two states.',
  },
  confirm: {
    cancel: 'Cancel',
    for_good: 'This cannot be undone.',
    nothing: 'No stored events were received since then. Heartbeats are removed from the chart of players online.',
    withdraw: (name: string) => `Withdraw events of ${name}?`,
    withdraw_falls: (count: string) => `Events that are withdrawn, with everything that depends on them: ${count}`,
    revoke_key: (name: string) => `Revoke a key of ${name}?`,
    revoke_key_falls: (id: string) =>
      `The key ${id} stops working immediately. Programs that still use it cannot report.`,
    last_key: 'It is the last valid key: the server cannot report until it has a new one.',
    delete_server: (name: string) => `Delete ${name}?`,
    delete_server_falls: (keys: string) =>
      `The server disappears from all lists, and its valid keys (${keys}) stop working. Its matches stay.`,
    make_operator: (name: string) => `Give ${name} the operator role?`,
    make_operator_falls:
      'An operator can withdraw events, merge players, revoke punishments, and change and delete every account and application, yours too.',
    make_operator_undo: 'Operators can remove the role again.',
    make_user: (name: string, role: string) => `Remove the role of ${name} (${role})?`,
    make_user_falls: 'They can no longer open these pages. Their account and applications stay.',
    make_user_undo: 'Operators can grant the role again.',
    delete_account: (name: string) => `Delete the account ${name}?`,
    sessions: (count: string) => `Browsers that are signed out: ${count}`,
    connected: (names: string) => `Applications that lose their access: ${names}`,
    suspended: (names: string) => `Applications that are suspended, because nobody else owns them: ${names}`,
    pseudonym:
      'The matches stay, under a pseudonym. Punishments in force apply again if the game account is linked again.',
    last_operator: 'This is the last operator. Make somebody else an operator first.',
  },
};

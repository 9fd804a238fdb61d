/** The English texts of an owner's way to the data API: the next step, requests and changes that wait for an operator. */
export const access = {
  steps: {
    title: 'Next: access to the data API',
    access: {
      none: 'Describe in two sentences what you are building. Sign-in works without access to the data API.',
      refused: 'The operator has refused your request. You can read the reason and ask again.',
    },
    try_title: 'Try it',
    try_client_id: 'Read public data with the Client ID alone:',
    try_token: 'Use the application’s own token and its own limit:',
    your_secret: 'YOUR_SECRET',
    guide: 'Sign-in, paging and more:',
  },

  access: {
    title: 'Access to the data API',
    states: {
      none: 'This application has not asked for access yet.',
      waiting: 'Your request is waiting for the operator. You will get the answer by mail.',
      approved: 'This application may use the data API.',
      refused: 'The operator has refused the request; the reason is below. You can ask again.',
      revoked: 'The operator has revoked this application’s access to the data API. You can ask again.',
    },
    limit_now: 'Limit:',
    raised: (limit: string) => `${limit} requests per hour, for the application and for each of its users`,
    usual: (app: string, user: string, address: string) =>
      `${app} requests per hour with its own tokens, ${user} for each user, ${address} for each address with the Client ID alone`,
    access: {
      title: 'Ask for access',
      purpose: 'What are you building?',
      purpose_hint: 'Two sentences are enough: what it does and who it is for.',
      volume: 'Requests per hour, approximately',
      volume_hint: 'An estimate is fine.',
      submit: 'Ask for access',
    },
    limit: {
      title: 'Ask for a higher limit',
      purpose: 'Why do you need more?',
      purpose_hint: 'What you request, how often, and what you already cache.',
      volume: 'Requests per hour',
      volume_hint: 'What you need in the busiest hour.',
      submit: 'Ask for a higher limit',
    },
    site: 'Where can people see it?',
    site_hint: 'A web address, if it has one already.',
    history: 'Requests so far',
    kinds: { access: 'Access', limit: 'Higher limit' },
    request_states: { waiting: 'waiting', approved: 'approved', refused: 'refused' },
    per_hour: (volume: string) => `${volume} requests per hour`,
    problems: {
      purpose: (max: number) => `Enter a description of 1 to ${max} characters.`,
      site: 'Enter a web address like https://example.org.',
      volume: 'Enter a whole number of at least 1.',
    },
  },

  waiting: {
    title: { access: 'Your request is waiting', limit: 'Your request for a higher limit is waiting' },
    since: 'Since',
    opens: 'It will open',
    opens_access: (app: string, user: string) =>
      `the data API: ${app} requests per hour with the application’s own tokens, ${user} for each user`,
    opens_limit: (volume: string) => `${volume} requests per hour, for the application and for each of its users`,
    operator: 'Operator',
    mailed: 'Told by mail:',
    mail_follows: 'Gets a mail within the hour.',
    in_console: 'Sees your request in the console.',
    mail_fails:
      'Sees your request in the console. Our mail server is not answering at the moment; the mail follows when it does.',
    answer: (email: string) => `You will get the answer by mail to ${email}.`,
    answer_elsewhere: (name: string) => `The answer goes to ${name} by mail.`,
  },

  changes: {
    title: 'Your change waits for the operator',
    lead: 'An operator has approved this application with its present name, logo and Redirect URIs. They stay in force until an operator approves the new ones; all owners get the answer by mail.',
    hint: 'An operator has approved this application. A new name, a new logo and added Redirect URIs wait until an operator approves them; all else applies at once.',
    withdraw: 'Withdraw the change',
    kind: 'New name, logo or Redirect URIs',
    review_title: (application: string) => `Change of ${application}`,
    review_lead:
      'The application was approved with what stands under “Now”. People see its name and logo on the consent page, and the Redirect URIs receive their sign-ins: check that they belong to the same application.',
    now: 'Now',
    wanted: 'After approval',
    new_logo: 'The new logo',
    added: 'new',
    removed: 'goes away',
  },
};

import type { Language } from '#http/languages.ts';

export const en = {
  copy: 'Copy',
  language: 'Programming language',
  copied: 'Copied',
  pages: {
    start: 'Quick start',
    reference: 'Reference',
    'sign-in': 'Sign-in',
    rules: 'Limits and errors',
    lists: 'Look-ups and lists',
    changes: 'Follow changes',
    webhooks: 'Webhooks',
    ingest: 'Game servers',
    deprecation: 'Changes of the API',
  },
  nav: 'For developers',
  reference: {
    lang: 'en' as Language,
    title: 'Data API reference',
    description: 'Every path, parameter, field, header and status code of the data API.',
    lead: 'Generated from the definitions that the service uses to route and validate requests.',
    document: 'The OpenAPI 3.1 document',
    contents: 'Parts of the reference',
    application: 'Your application',
    applicationText:
      'A request needs a Client ID, which is public: “Run” sends it and reads public data. Keep tokens and Client Secrets out of forms and addresses.',
    use: 'Use',
    signIn: 'Sign in to use your own applications',
    register: 'Register an application',
    credentials: 'Requests',
    credentialColumns: ['Credential', 'Meaning'],
    headers: 'Headers',
    headerColumns: ['Header', 'Meaning'],
    errors: 'Errors',
    schemas: 'Schemas',
    parameters: 'Parameters',
    answers: 'Responses',
    try: 'Try it',
    run: 'Run',
    running: 'Waiting for the response …',
    unreachable: 'The data API did not respond.',
    deprecated: 'deprecated',
    required: 'required',
    optional: 'not always present',
  },
};

/** The texts of the developer pages in one language; those of the guides are in `../guides/`. */
export type Text = typeof en;

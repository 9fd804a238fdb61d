/** The English texts about a new name, logo or Redirect URIs that wait for an operator. */
export const changes = {
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
    name: 'Name',
    redirect_uris: 'Redirect URIs',
    logo: 'Logo',
    new_logo: 'The new logo',
    added: 'new',
    removed: 'goes away',
    done_waits: 'Saved. The new name, logo or Redirect URIs wait for an operator.',
  },
};

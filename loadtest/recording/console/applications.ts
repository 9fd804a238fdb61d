import { pngOf } from '#test/console/png.ts';
import type { ConsoleWorld } from '#test/console/world.ts';
import type { RecordedBrowser, Fields } from './recorded-browser.ts';

/** What owners do with their applications, and the operator's decisions about their changes. */
export async function ownApplications(
  owner: RecordedBrowser,
  operator: RecordedBrowser,
  pages: Fields,
  { changed }: ConsoleWorld,
): Promise<void> {
  const redirect_uris = 'https://gull.example.org/signed-in';
  const made = { name: 'Gull', type: 'service', redirect_uris, require_pkce: '1' };
  await owner.act('new application refused', '/console/applications/new', '/console/applications', {
    name: '',
    redirect_uris: 'nonsense',
  });
  await owner.act('new application', '/console/applications/new', '/console/applications', made);
  await owner.open('applications', '/console');
  const own =
    /\/console\/applications\/([0-9a-f]{24})[^>]*>\s*(?:<[^>]+>\s*)*Gull/.exec(owner.browser.page.html)?.[1] ??
    'nothing';
  const app = `/console/applications/${own}`;
  const settings = `${app}/settings`;
  await owner.act('access refused', `${app}/access`, `${app}/access`, { kind: 'access', purpose: '', volume: 'x' });
  const purpose = 'A list of gulls.';
  await owner.act('access', `${app}/access`, `${app}/access`, {
    kind: 'access',
    purpose,
    site: 'https://gull.example.org',
    volume: '50',
  });
  await owner.act('secret', app, `${app}/secrets`);
  await owner.open('secrets', app);
  const id = owner.value('id');
  await owner.act('secret removed', app, `${app}/secrets/remove`, { id });
  await owner.act('unknown secret removed', app, `${app}/secrets/remove`, { id: 'nothing' });
  await owner.act('settings', settings, settings, {
    name: 'Gull and Tern',
    redirect_uris: `${redirect_uris}\nhttp://127.0.0.1/cb`,
  });
  await owner.act('settings refused', settings, settings, { name: ' ', redirect_uris: 'http://gull.example.org' });
  await owner.upload(settings, `${app}/logo`, pngOf(0x20));
  await owner.act('logo removed', settings, `${app}/logo/remove`);
  await owner.act('owner invited', settings, `${app}/owners`, { owner: 'Mariner' });
  await owner.act('owner not invited', settings, `${app}/owners`, { owner: 'Nobody' });
  await owner.open('invited', settings);
  const invited = owner.value('account_id');
  await owner.act('owner uninvited', settings, `${app}/owners/uninvite`, { account_id: invited });
  await owner.act('owner invited again', settings, `${app}/owners`, { owner: 'Mariner' });
  await operator.act('invitation accepted', '/console', `/console/invitations/${own}`, { answer: 'accept' });
  await operator.act('invitation gone', '/console', `/console/invitations/${own}`, { answer: 'accept' });
  await operator.act('owner removed', settings, `${app}/owners/remove`, { account_id: invited });
  const change = `/console/applications/${changed.client_id}`;
  await owner.open('settings with a change', `${change}/settings`);
  const waiting = /src="(\/console\/applications\/[^"]*change\/logo\/[^"]*)"/.exec(owner.browser.page.html)?.[1];
  if (waiting !== undefined) await owner.browser.image(waiting);
  const logo = /src="(\/console\/logos\/[^"]*)"/.exec(owner.browser.page.html)?.[1];
  if (logo !== undefined) await owner.browser.image(logo);
  await operator.act('change refused', pages['operator-change']!, pages['operator-change']!, {
    state: 'refused',
    note: 'Another name, please.',
  });
  await owner.act('change again', `${change}/settings`, `${change}/settings`, { name: 'Pharos' });
  await owner.act('change withdrawn', `${change}/settings`, `${change}/change/withdraw`);
  await owner.act('change a third time', `${change}/settings`, `${change}/settings`, { name: 'Beacon' });
  await operator.open('changes', '/console/operator');
  const third = /href="(\/console\/operator\/changes\/[^"]*)"/.exec(operator.browser.page.html)?.[1];
  if (third !== undefined) await operator.act('change approved', third, third, { state: 'approved', note: '' });
  await owner.act('not deleted', `${app}/delete`, `${app}/delete`, { name: 'Wrong' });
  await owner.act('deleted', `${app}/delete`, `${app}/delete`, { name: 'Gull and Tern' });
  await owner.open('not for owners', '/console/operator');
}

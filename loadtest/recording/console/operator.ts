import type { ConsoleWorld } from '#test/console/world.ts';
import type { World } from '../world.ts';
import type { RecordedBrowser, Fields } from './recorded-browser.ts';

export async function decide(
  operator: RecordedBrowser,
  pages: Fields,
  { application, waiting }: ConsoleWorld,
): Promise<void> {
  const request = pages['operator-request']!;
  await operator.act('request approved', request, request, { state: 'approved', note: 'Have fun.' });
  await operator.act('request approved twice', request, request, { state: 'approved' });
  for (const [{ client_id }, fields] of [
    [application, { limit: '5000' }],
    [application, { limit: 'x' }],
    [application, { limit: '' }],
    [waiting, { access: 'revoked' }],
    [waiting, { access: 'approved' }],
    [waiting, { start: '1' }],
  ] as const) {
    const action = `/console/operator/applications/${client_id}`;
    await operator.act(
      `application ${Object.entries(fields).join(' ')}`,
      `/console/applications/${client_id}`,
      action,
      fields,
    );
  }
  await operator.open('applications found', '/console/operator/applications?q=light');
}

export async function manageAccounts(
  operator: RecordedBrowser,
  ghost: string,
  { other, owner }: ConsoleWorld,
): Promise<void> {
  const account = `/console/operator/accounts/${ghost}`;
  const help = `${account}/help`;
  for (const change of [
    'disable',
    'enable',
    'make_moderator',
    'make_operator',
    'make_user',
    'sign_out',
    'unlink',
    'nonsense',
  ])
    await operator.act(`account ${change}`, account, account, { change });
  await operator.act(
    'own account',
    `/console/operator/accounts/${owner.id}`,
    `/console/operator/accounts/${owner.id}`,
    { change: 'make_user' },
  );
  await operator.act(
    'account sign out',
    `/console/operator/accounts/${other.id}`,
    `/console/operator/accounts/${other.id}`,
    { change: 'sign_out' },
  );
  await operator.act('password by mail', help, `${account}/password`, { way: 'mail' });
  await operator.act('password on paper', help, `${account}/password`, { way: 'paper' });
  await operator.act('address refused', help, `${account}/email`, { email: 'nonsense', way: 'now' });
  await operator.act('address taken', help, `${account}/email`, { email: 'newcomer@example.org', way: 'now' });
  await operator.act('address by link', help, `${account}/email`, { email: 'ghost2@example.org', way: 'link' });
  await operator.act('address now', help, `${account}/email`, { email: 'ghost3@example.org', way: 'now' });
  await operator.act('verification', help, `${account}/verification`);
  await operator.act('account not deleted', account, account, { change: 'delete', name: 'Wrong' });
  await operator.act('account deleted', account, account, { change: 'delete', name: 'Ghost' });
  await operator.open('accounts found', '/console/operator/accounts?q=mar');
}

export async function manageServers(operator: RecordedBrowser, pages: Fields): Promise<void> {
  const [list, server] = ['/console/operator/servers', pages['operator-server']!];
  await operator.act('server', list, list, {
    name: 'Breakwater',
    region: 'eu',
    order: '50',
    icon: 'x',
    max: '10',
    punishments: 'own',
  });
  const made = operator.browser.page.url.replace(/^https?:\/\/[^/]+|\?.*$/g, '');
  await operator.act('server refused', list, list, { name: '', region: '', order: 'x' });
  await operator.act('server twice', list, list, { name: 'Breakwater', region: 'eu' });
  await operator.act('server changed', server, server, {
    region: 'Utrecht',
    order: '2',
    max: '30',
    punishments: 'network',
  });
  await operator.act('server not changed', server, server, { region: '', order: 'x' });
  for (const act of ['create', 'create_test', 'test', 'rotate', 'nonsense'])
    await operator.act(`key ${act}`, server, `${server}/keys`, { act });
  await operator.open('server keys', server);
  await operator.act('key revoked', server, `${server}/keys`, { act: 'revoke', key: operator.value('key') });
  await operator.act('watch', server, `${server}/watch`, { address: 'play2.example.org', protocol: 'minecraft' });
  await operator.act('watch refused', server, `${server}/watch`, { address: 'not an address', protocol: 'minecraft' });
  await operator.act('watch removed', server, `${server}/watch/remove`);
  const management = {
    url: 'wss://play.example.org:25585',
    secret: 'AManagementSecretOfAServer0123456789abcd',
    ca: '',
  };
  await operator.act('management', server, `${server}/management`, management);
  await operator.act('management refused', server, `${server}/management`, {
    ...management,
    url: 'http://x',
    ca: 'nonsense',
  });
  await operator.act('management removed', server, `${server}/management/remove`);
  const warnings = '/console/operator/warnings';
  await operator.open('warnings', warnings);
  const match = operator.value('match');
  for (const act of ['exclude', 'count', 'nonsense'])
    await operator.act(`match ${act}`, warnings, warnings, { match, act });
  await operator.open('server', server);
  await operator.act('withdrawn match', server, `${server}/withdraw`, { receipt: operator.value('receipt') });
  await operator.act('withdrawal refused', server, `${server}/withdraw`, { since: 'nonsense' });
  await operator.act('withdrawal', server, `${server}/withdraw`, { since: '2026-02-28T12:00:00Z' });
  await operator.act('hidden players', list, '/console/operator/network', { hidden: 'Hendis37' });
  await operator.act('hidden players refused', list, '/console/operator/network', { hidden: 'nobody at all' });
  for (const at of [made, made]) await operator.act('server deleted', at, `${made}/delete`);
  for (const name of ['paused', 'waiting', 'failed', 'running'])
    for (const act of ['resume', 'pause']) {
      const job = pages[`operator-job-${name}`]!;
      await operator.act(`job ${name} ${act}`, job, job, { act });
    }
}

export async function moderate(operator: RecordedBrowser, moderator: RecordedBrowser, pages: Fields): Promise<void> {
  const [issue, punishment] = ['/console/operator/punishments/new', pages['operator-punishment']!];
  const uuid = pages['operator-player']!.split('/').at(-1)!;
  await moderator.open('punishments', '/console/operator/punishments');
  await moderator.act('punishment refused', issue, issue, { player: 'Nobody', type: ' ', expires: 'x', level: '-1' });
  await moderator.act('punishment', issue, issue, {
    player: uuid,
    type: 'ban',
    reason: 'Griefing',
    expires: '7d',
    level: '2',
  });
  const made = operator.browser.page.url;
  await moderator.act('punishment of a newcomer', issue, issue, {
    player: '00000000-0000-4000-8000-0000000000aa',
    name: 'Fresh',
    type: 'mute',
    expires: 'never',
    level: '0',
  });
  await moderator.act('changed', punishment, `${punishment}/change`, {
    type: 'mute',
    reason: 'Longer',
    expires: 'never',
    level: '4',
  });
  await moderator.act('changed since', punishment, `${punishment}/change`, { version: '1' });
  await moderator.act('not revoked', punishment, punishment, { reason: 'x'.repeat(2_001) });
  await moderator.act('revoked', punishment, punishment, { reason: 'Appeal accepted' });
  await moderator.open('revoked', punishment);
  await operator.open('history', punishment);
  await operator.act('undone', punishment, `${punishment}/undo`, { receipt: operator.value('receipt') });
  await operator.open(`after ${made === '' ? '' : 'undoing'}`, punishment);
  await operator.open('changes', '/console/operator/punishments/changes');
  const server = pages['operator-server']!;
  await operator.open('server keys', server);
  const key = operator.value('key');
  await operator.open('changes of a key', `${server}/keys/${key}`);
  await operator.act('changes of a key refused', `${server}/keys/${key}`, `${server}/withdraw`, { key, since: 'x' });
  await operator.act('changes of a key undone', `${server}/keys/${key}`, `${server}/withdraw`, { key, since: '' });
  const names = pages['operator-names']!;
  await moderator.open('names', names);
  const account = /action="(\/console\/operator\/names\/[^"]*)"/.exec(
    (await moderator.browser.open('/console/operator/names?q=newcomer')).html,
  )?.[1];
  if (account !== undefined) {
    await moderator.act('name refused', '/console/operator/names?q=newcomer', account, { name: 'x' });
    await moderator.act('name', '/console/operator/names?q=newcomer', account, { name: 'Arrival' });
  }
  await moderator.open('not for moderators', '/console/operator/servers');
}

/** Before the withdrawals, which leave no records of these players. */
export async function mergePlayers(operator: RecordedBrowser, pages: Fields): Promise<void> {
  const [page, action] = [pages['operator-merge']!, '/console/operator/players/merge'];
  await operator.act('merge refused', page, action, { from: 'x', into: 'y' });
  await operator.act('merge', page, action);
}

export async function managePlayers(operator: RecordedBrowser, pages: Fields): Promise<void> {
  const [counters, counter] = ['/console/operator/counters', pages['operator-counter']!];
  const declared = {
    key: 'gulls',
    label: 'Gulls fed',
    label_ja: 'カモメ',
    aggregate: 'sum',
    mode_ctw: '1',
    most: '50',
    order: '3',
  };
  await operator.act('counter', counters, counters, declared);
  await operator.act('counter twice', counters, counters, declared);
  await operator.act('counter refused', counters, counters, { ...declared, key: 'Wrong Key', label: '', most: 'x' });
  await operator.act('counter changed', counter, counter, { label: 'Helps', aggregate: 'max', most: '60' });
  await operator.act('counter not changed', counter, counter, { label: '', most: '0' });
  await operator.act('preset', counters, '/console/operator/counter-presets', { key: 'wools_touched' });
  await operator.act('presets', counters, '/console/operator/counter-presets');
  await operator.act('counter deleted', counter, `${counter}/delete`);
  const player = pages['operator-player']!;
  await operator.act('not erased', player, `${player}/erase`, { name: 'Wrong' });
  const name = /<h1[^>]*>\s*([^<]*?)\s*</.exec((await operator.browser.open(player)).html)?.[1] ?? '';
  await operator.act('erased', player, `${player}/erase`, { name });
  await operator.open('players found', '/console/operator/players?q=a');
  for (const query of ['action=account', 'outcome=refused', 'since=2026-03-01&until=2026-03-02', 'actor=Molly'])
    await operator.open(`audit ${query}`, `/console/operator/audit?${query}`);
}

/** A form that gives power, some time after the sign-in. */
export async function askForPassword(world: World, operator: RecordedBrowser, pages: Fields): Promise<void> {
  world.advance(11 * 60_000);
  const server = pages['operator-server']!;
  await operator.act('key asks for the password', server, `${server}/keys`, { act: 'create' });
  await operator.open('continue', '/console/continue');
}

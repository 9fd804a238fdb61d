type Row = [string, string];

/** The texts of the page about the feed of changes. */
export const changes = {
  title: 'Follow changes',
  description:
    'One feed of the changes of matches, maps, punishments, players and servers: mirror it, poll it, or read it as a stream.',
  lead: 'One cursor reads first everything that exists, then each change. With it a program keeps an exact copy and asks for no list twice.',
  client: 'The client library does all of this page: it follows, mirrors and begins again by itself.',
  webhooks: 'If your program can receive requests, have changes delivered.',
  promise: 'What we promise',
  promises: (days: string): string[] => [
    'A walk from `after=0` gives every public resource that exists during the whole walk.',
    'Who continues from a cursor gets every resource that changed after it, in the order of the changes.',
    'A resource is in the feed once, at the place of its newest change: you get its newest state, not every step.',
    '`withdrawn`, `merged` and `erased` reach every follower, whatever `types` it asks for.',
    'With `expand=1` a resource is what its own endpoint gives, all resources of a page from one moment.',
    `A cursor works as long as you continue within ${days} days, also across upgrades. If it does not, the response is 410: you never miss a removal unnoticed.`,
    'A change can come again with the same `revision`. A higher one replaces a lower one.',
  ],
  begin: 'Begin with the present state',
  beginText: (perMinute: string): string[] => [
    `A page has up to 1,000 changes, or 100 with \`expand=1\`, and costs one request of your limit. The first walk from \`after=0\` in a day costs none with your application’s own token: its pages are paced instead, up to ${perMinute} a minute.`,
    'While `more` is true, pass `cursor` as `after`. When it is false, you have everything: store the cursor in the same transaction as your copy. A cursor is text that you do not need to read.',
  ],
  next: 'Continue',
  nextText:
    'Ask again with the cursor, at most every few seconds. Without a change you get an empty list and a cursor to continue from. `after=now` begins without the present state.',
  parametersHead: ['Parameter', 'Meaning'],
  parameters: [
    ['after', 'A cursor; `0` for the present state and then everything; `now` for new changes only'],
    [
      'types',
      '`match`, `map`, `punishment`, `player`, `server`, comma-separated. Removals of the others come too: ignore ids that you do not have',
    ],
    ['limit', '1 to 1,000, with `expand=1` to 100; 100 if you leave it out'],
    ['expand', '`1` adds `resource`, as its own endpoint gives it'],
  ] as Row[],
  lines:
    'With `Accept: application/x-ndjson` each change is a line, and the last line has `cursor` and `more`. While the feed is being filled after an upgrade, it answers 503 with `Retry-After`.',
  items: 'What a change says',
  itemsText:
    'An item has `id`, `type` (as `match.created`), `revision`, `time` and, unless it is a removal, `url`. Removals carry the id alone.',
  typesHead: ['Type', 'What to do'],
  types: [
    ['created', 'Store the resource'],
    ['changed', 'Store the resource: you may not have seen it before'],
    ['withdrawn', 'Remove it: it no longer exists or is no longer public'],
    ['merged', 'Remove the player: its records belong to another one'],
    ['erased', 'Remove the player and everything that you know of it'],
  ] as Row[],
  countsHead: ['Resource', 'Changes with'],
  counts: [
    ['match', 'its report, merged or renamed players in it, anonymisation, counting or leaving it out, withdrawal'],
    ['player', 'name, merge, erasure, privacy'],
    ['map', 'publication and picture'],
    ['punishment', 'issue, change, revocation, name or UUID of its player. Its end is in `expires` and is no change'],
    ['server', 'settings and removal'],
  ] as Row[],
  notCounted:
    'Statistics, ranks, votes, rotations, who is online and running matches are no changes: read them from their own endpoints.',
  reset: 'Begin again',
  resetText:
    'Status 410 has `"reset": true` and a `reason`. Delete your copy and begin with `after=0`; no other cursor helps.',
  resetHead: ['Reason', 'Meaning'],
  resets: [
    ['expired', 'You were away for so long that removals after your cursor are no longer stored'],
    ['other_feed', 'The network has restored a backup: what you have may never have happened'],
    ['beyond_head', 'The cursor is ahead of the feed'],
  ] as Row[],
  stream: 'The stream',
  streamText: [
    'Server-Sent Events. Everything after the cursor comes first, then each change when it happens, without a gap. `types` is as above; without `after` the stream begins with the next change. The header `Last-Event-ID` has a cursor, and comes before `after`.',
    'The `id` of an event is the cursor after it, the same as those of `/v1/changes`. The first event is only an `id`: the place where the stream begins. A line that begins with a colon comes every 15 seconds: after 45 seconds of silence connect again.',
    '`EventSource` of browsers cannot send a token in a header: pass a Client ID in `client_id`, or read the stream with `fetch`.',
  ],
  streamLimits: (application: string, others: string): string =>
    `Opening a stream costs one request. Up to ${application} may be open with the tokens of an application, and ${others} with the tokens of each person, for each game server, and for an address with a Client ID alone. \`X-Stream-Limit\` and \`X-Stream-Remaining\` say so; a further one gets 429. Of several streams that read the past, one is sent at a time.`,
  eventsHead: ['Event', 'Meaning'],
  events: [
    ['change', 'An item as in `/v1/changes`, without `resource`'],
    [
      'presence',
      'With `presence=1`: a server and who is on it, as in `/v1/servers`. First all of them, then at most one a second and server; without `id`',
    ],
    [
      'live',
      'With `presence=1`: the match that runs on a server, as in `/v1/live-matches`; its `phase` is `ended` when none runs any more',
    ],
    ['reset', 'The body of the 410. Begin again; the stream ends'],
    ['unauthorized', 'Your token has expired or was revoked; the stream ends. Connect with a new one'],
    ['too_slow', 'You read too slowly, and the stream ends. Continue with your last `id`'],
  ] as Row[],
};

/** The texts of the page about look-ups and lists. */
export const lists = {
  title: 'Look-ups and lists',
  description: 'Several players at once, search, filters of matches, the matches and kills of a player, leaderboards.',
  lookUp: 'Several players at once',
  lookUpText:
    'Up to 100 entries in `uuids` and `names` together. Each ten count as a request, as `X-RateLimit-Cost` says; if less is left, the answer is 429 and nothing is counted. A name with a comma is sent as `names[]=`. Every entry is answered by itself:',
  lookUpHead: ['Status', 'Meaning'],
  lookUps: [
    ['found', '`player` is what `/v1/players/:id` gives; `former_name` is set if the name is a former one'],
    ['ambiguous', 'Several players have or had the name: `candidates` lists them'],
    ['not_found', 'Nobody has the UUID, or has or had the name'],
    ['invalid', 'The entry of `uuids` is no UUID'],
  ] as Row[],
  search: 'Search',
  searchText:
    '`search` finds players by the beginning of a word of a present or former name, and maps by that of their name: `fox` finds Red_Fox.',
  filters: 'Filters of matches',
  filtersText:
    '`server` and `map` take an id or a name, `player` a UUID, a name or an id, `since` and `until` a time with its offset, `ranked` 1 or 0. Each filter can be used alone, and `player` with any others. Without `player` these pairs go together; all other combinations are a 400 that names them:',
  filtersHead: ['Filter', 'Together with'],
  time: '`since`, `until` or both',
  byTime: 'With `since` or `until` the list is sorted by the end of the matches, the last one first.',
  ofPlayer: 'Matches and kills of a player',
  ofPlayerText:
    '`/v1/players/:id/matches`, `/kills` and `/deaths` are newest first. Pass the last `id` of a page as `max_id` to get the next one, until a page is empty.',
  boards: 'Leaderboards',
  boardsText:
    '`/v1/leaderboards/:mode/:period` has the players of a leaderboard in their order. Game servers may read it with their key.',
  boardsHead: ['Part', 'Values'],
  boardParts: { mode: ':mode', period: ':period', by: 'by' },
  ago: 'How many periods ago',
};

/** The log of the changes of the API. */
export const log = [
  ['Version 1', 'Servers, matches, maps, punishments, players; sign-in with OpenID Connect.'],
  ['Added', 'Several players at once: `/v1/players?uuids=&names=`. Search: `/v1/players?search=`, `/v1/maps?search=`.'],
  [
    'Added',
    'Filters of `/v1/matches`: `server`, `map`, `gamemode`, `player`, `since`, `until`, `ranked`. `/v1/players/:id/matches`, `/kills` and `/deaths`.',
  ],
  ['Added', '`/v1/leaderboards/:mode/:period`.'],
  ['Added', 'The feed of changes, `/v1/changes`, and its stream, `/v1/changes/stream`.'],
  ['Added', 'Webhooks.'],
] as Row[];

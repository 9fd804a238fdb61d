import { CLIMBERS, COMPARED_PLACES } from '#store/game/leaderboards/leaderboards.ts';
import { COMPARED_MATCHES } from '#store/game/match-lists.ts';
import { RECENT_MATCHES } from '#store/game/rivals/recent-matches.ts';
import { amount } from '#text/amount.ts';

/** The texts about the form of a player, rivals, and the comparison of two players. */
export const rivals = {
  form: 'Form and records',
  newest: 'Newest results',
  streak: 'Current streak',
  wins: (count: string) => `${amount(count, 'win')} in a row`,
  losses: (count: string) => `${amount(count, 'defeat')} in a row`,
  noStreak: 'none',
  winStreak: 'Longest winning streak',
  loseStreak: 'Longest losing streak',
  records: { kill: 'Most kills in a match', score: 'Most points in a match', time: 'Longest match' },
  bestMap: 'Best map',
  bestMapOf: (wins: string, matches: string, newest: string) =>
    `${wins} won of ${matches}, in the last ${amount(newest, 'match', 'matches')}`,
  victim: 'Favourite victim',
  nemesis: 'Nemesis',
  times: (count: string) => amount(count, 'kill'),
  title: (name: string) => `Rivals of ${name}`,
  link: 'Rivals',
  lists: {
    victims: 'Killed most often',
    killers: 'Killed by most often',
    teammates: 'Played with',
    opponents: 'Played against',
  },
  notes: {
    victims: 'In all matches, from three kills on.',
    killers: 'In all matches, from three kills on.',
    teammates: `In the last ${RECENT_MATCHES} matches.`,
    opponents: `In the last ${RECENT_MATCHES} matches.`,
  },
  none: 'No player yet.',
  duel: (kills: string, deaths: string) => `${amount(kills, 'kill')}, ${amount(deaths, 'death')}`,
  together: (matches: string, wins: string) => `${amount(matches, 'match', 'matches')}, ${wins} won`,
  compare: 'Compare with',
  compareHint: 'A name, UUID or id',
  compareButton: 'Compare',
  comparison: (one: string, other: string) => `${one} and ${other}`,
  unknown: (name: string) => `There is no player “${name}”. Check the spelling, or use the search.`,
  same: 'Choose another player: this one is already on the page.',
  value: 'Value',
  kills: (name: string) => `Kills of ${name}`,
  between: 'Against each other',
  betweenNote: (name: string) => `Kills in all matches; sides in the last ${RECENT_MATCHES} matches of ${name}.`,
  asTeammates: 'On the same side',
  asOpponents: 'On different sides',
};

const ORDINALS = new Intl.PluralRules('en', { type: 'ordinal' });
const SUFFIXES: Record<Intl.LDMLPluralRule, string> = {
  ...{ zero: 'th', one: 'st', two: 'nd', few: 'rd', many: 'th', other: 'th' },
};

/** The texts about places on leaderboards. */
export const places = {
  nth: (count: string, place: number) => `${count}${SUFFIXES[ORDINALS.select(place)]}`,
  of: (nth: string, of: string) => `${nth} of ${of}`,
  inMonth: (place: string, month: string) => `${place} in ${month}`,
  first: (period: string, by: string, mode: string) => `No. 1 of ${period} by ${by}${mode === '' ? '' : ` in ${mode}`}`,
  byMetric: (place: string, by: string, mode: string) => `${place} by ${by}${mode === '' ? '' : ` in ${mode}`}`,
  by: { win: 'wins', kill: 'kills', play: 'matches' },
  yours: 'Your place:',
  whole: 'The whole leaderboard',
  visit: {
    since: (parts: string[]) => `Since your last visit: ${parts.join(', ')}`,
    wins: (count: string) => amount(count, 'win'),
    place: (place: string) => `place ${place}`,
    up: (count: string) => `up ${count}`,
    down: (count: string) => `down ${count}`,
  },
};

/** The texts about the match of the day and the climbers of the week. */
export const highlights = {
  match: 'Match of the day',
  matchRule: `The match with most players in the last 24 hours, among the newest ${COMPARED_MATCHES.toLocaleString('en')}.`,
  bestPlayer: 'Best player',
  climbers: 'Climbers of the week',
  climbersRule: `Of the first ${COMPARED_PLACES} by wins this week, the ${CLIMBERS} who gained most places since last week; players without a win last week came after its last place.`,
};

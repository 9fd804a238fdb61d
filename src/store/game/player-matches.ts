import type { Counts } from './player-stats.ts';

export type MatchResult = 'win' | 'lose' | 'draw';

/** The result of a match for one player, in the order of the columns of `player_matches`. */
export type PlayedBy = [
  name: string,
  result: MatchResult,
  score: number,
  kills: number,
  deaths: number,
  time: number,
  envdeaths: number,
  /** The place of the team in the match; null if an earlier version stored the match. */
  team: number | null,
];

/**
 * Joins the rows of two merged UUIDs of a player in one match: won if either did, under the name that sorts last, with
 * the sums of both, in the team that won, else in the first. It is commutative, so that the time of the merge does not matter.
 */
export function joinPlayed(one: PlayedBy, other: PlayedBy): PlayedBy {
  const [name, result, score, kills, deaths, time, envdeaths, team] = one;
  return [
    name > other[0] ? name : other[0],
    joinedResult(result, other[1]),
    score + other[2],
    kills + other[3],
    deaths + other[4],
    time + other[5],
    envdeaths + other[6],
    (result === 'win') === (other[1] === 'win') ? firstTeam(team, other[7]) : result === 'win' ? team : other[7],
  ];
}

const firstTeam = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? null : Math.min(one, other);

/** The counts that the joined row has once, not as a sum, because it is one match with one result. */
export function countedTwice(one: MatchResult, other: MatchResult): Counts {
  const joined = joinedResult(one, other);
  const surplus = (result: MatchResult): number =>
    Number(one === result) + Number(other === result) - Number(joined === result);
  return { play: 1, win: surplus('win'), lose: surplus('lose') };
}

/** A match is won if either UUID won it. */
export const joinedResult = (one: MatchResult, other: MatchResult): MatchResult => (one === 'win' ? 'win' : other);

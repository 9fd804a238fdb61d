import { HOUR, MINUTE } from '../calendar.ts';
import type { Bars, Network } from '../network.ts';
import { OFFENCES, type Offence } from './offences.ts';
import type { Player } from './players.ts';
import { Random } from '../random.ts';
import type { Session } from './sessions.ts';

/** A punishment as issued, and its later change or revocation. */
export interface Sentence {
  number: number;
  offence: Offence;
  punished: Player;
  punisher: Player | null;
  server: string;
  time: number;
  expires: number | null;
  changed?: { time: number; expires: number; reason: string };
  revoked?: number;
}

/** The numbers of the players who are moderators, the demo's operator among them. */
const MODERATORS = [0, 6, 19, 42, 77];

/** The punishments of the history, each during a session of the punished player. Banned players do not play. */
export function sentencesOf(network: Network, begin: number, now: number): Sentence[] {
  const sentences: Sentence[] = [];
  OFFENCES.forEach((offence, number) => {
    const random = new Random(network.seed, 'punishment', number);
    const target = begin + ((number + random.next()) / OFFENCES.length) * (now - begin);
    const session = sessionBefore(random, network, Math.min(target, now - HOUR), barsOf(sentences));
    if (session !== undefined) sentences.push(createSentence(random, network, { number, offence }, session, now));
  });
  return sentences;
}

/** A function that returns whether a player is banned at a time. */
export function barsOf(sentences: readonly Sentence[]): Bars {
  const bans = sentences.filter(({ offence }) => offence.type === 'ban');
  return (player, time) => bans.some((ban) => ban.punished === player && time > ban.time && time < effectiveEnd(ban));
}

function effectiveEnd({ expires, changed, revoked }: Sentence): number {
  return revoked ?? changed?.expires ?? expires ?? Infinity;
}

function sessionBefore(random: Random, network: Network, target: number, bars: Bars): Session | undefined {
  const day = network.dayOf(target);
  const sessions = [...network.sessions(day - 1), ...network.sessions(day)].filter(
    ({ player, from, to }) => to <= target && to - from > 20 * MINUTE && !bars(player, from) && mayBePunished(player),
  );
  return sessions.length === 0 ? undefined : random.pick(sessions);
}

function mayBePunished(player: Player): boolean {
  return player.number > 1 && !MODERATORS.includes(player.number);
}

function createSentence(
  random: Random,
  network: Network,
  base: Pick<Sentence, 'number' | 'offence'>,
  session: Session,
  now: number,
): Sentence {
  const { offence } = base;
  const time =
    offence.type === 'ban' || offence.type === 'kick'
      ? session.to
      : Math.floor(random.between(session.from + 3 * MINUTE, session.to));
  const stay = session.stays.findLast(({ from }) => from <= time)!;
  const expires = offence.hours === null ? null : time + offence.hours * HOUR;
  const punisher = offence.automatic ? null : network.players[random.pick(MODERATORS)]!;
  const sentence = { ...base, punished: session.player, punisher, server: stay.server, time, expires };
  return { ...sentence, ...afterwards(sentence, Math.floor(time + random.between(0.5, 9) * HOUR), now) };
}

function afterwards(
  { offence, time, expires }: Sentence,
  later: number,
  now: number,
): Pick<Sentence, 'changed' | 'revoked'> {
  if (offence.afterwards === undefined || later >= now) return {};
  if (offence.afterwards === 'revoked') return { revoked: later };
  const milder = offence.afterwards === 'shortened';
  const length = expires! - time;
  const reason = `${offence.reason} (${milder ? 'after an appeal' : 'and again right afterwards'})`;
  return { changed: { time: later, expires: Math.floor(time + length * (milder ? 0.5 : 2)), reason } };
}

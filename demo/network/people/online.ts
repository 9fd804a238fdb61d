import { MINUTE } from '../calendar.ts';
import type { GeneratedHistory } from '../history.ts';
import type { Session } from './sessions.ts';

/** How many players are on the network at the beginning of each minute that lies between two moments. */
export function onlineBetween(history: GeneratedHistory, from: number, to: number): { time: number; count: number }[] {
  const first = Math.ceil(from / MINUTE);
  const changes = new Int32Array(Math.max(0, Math.floor(to / MINUTE) - first + 2));
  const note = (time: number, change: number): void => {
    const place = Math.max(0, Math.ceil(time / MINUTE) - first);
    if (place < changes.length) changes[place]! += change;
  };
  for (const { from: started, to: left } of sessionsBetween(history, from, to)) {
    note(started, 1);
    note(left, -1);
  }
  let count = 0;
  return Array.from(changes.subarray(0, -1), (change, place) => {
    count += change;
    return { time: (first + place) * MINUTE, count };
  });
}

/** Each session once, though one that runs past six in the morning is seen on two days. */
function* sessionsBetween({ network, bars }: GeneratedHistory, from: number, to: number): Generator<Session> {
  const first = network.dayOf(from);
  for (let day = first; day <= network.dayOf(to); day++) {
    for (const session of network.sessions(day)) {
      if (day > first && network.dayOf(session.from) < day) continue;
      if (!bars(session.player, session.from)) yield session;
    }
  }
}

import { MINUTE } from '../calendar.ts';
import type { GeneratedHistory } from '../history.ts';
import type { Session } from './sessions.ts';

/** The number of players online at the start of each minute between two times. */
export function onlineBetween(history: GeneratedHistory, from: number, to: number): { time: number; count: number }[] {
  const first = Math.ceil(from / MINUTE);
  const changes = new Int32Array(Math.max(0, Math.floor(to / MINUTE) - first + 2));
  const addChange = (time: number, change: number): void => {
    const place = Math.max(0, Math.ceil(time / MINUTE) - first);
    if (place < changes.length) changes[place]! += change;
  };
  for (const { from: started, to: left } of sessionsBetween(history, from, to)) {
    addChange(started, 1);
    addChange(left, -1);
  }
  let count = 0;
  return Array.from(changes.subarray(0, -1), (change, place) => {
    count += change;
    return { time: (first + place) * MINUTE, count };
  });
}

/** The sessions of the days in question, each once: one that continues past six in the morning belongs to two days. */
function* sessionsBetween({ network, bars }: GeneratedHistory, from: number, to: number): Generator<Session> {
  const first = network.dayOf(from);
  for (let day = first; day <= network.dayOf(to); day++) {
    for (const session of network.sessions(day)) {
      if (day > first && network.dayOf(session.from) < day) continue;
      if (!bars(session.player, session.from)) yield session;
    }
  }
}

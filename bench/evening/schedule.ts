import type { Random } from '#demo/network/random.ts';

/** When requests are due, in milliseconds since the start: fixed in advance, whatever the service does. */
export type Schedule = number[];

/** Arrivals of many independent clients, `perSecond` on average (a Poisson process). */
export function independent(random: Random, perSecond: number, seconds: number): Schedule {
  const times: Schedule = [];
  const gap = (): number => (-Math.log(1 - random.next()) / perSecond) * 1000;
  for (let at = gap(); at < seconds * 1000; at += gap()) times.push(at);
  return times;
}

/** Arrivals of one client that reports at a fixed interval, beginning at a random point of it. */
export function periodic(random: Random, everySeconds: number, seconds: number): Schedule {
  const times: Schedule = [];
  for (let at = random.next() * everySeconds; at < seconds; at += everySeconds) times.push(at * 1000);
  return times;
}

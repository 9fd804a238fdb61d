import type { Random } from '#demo/network/random.ts';

/** The times of requests in milliseconds since the start. They are fixed in advance and do not depend on responses. */
export type Schedule = number[];

/** Arrivals of many independent clients, `perSecond` on average (a Poisson process). */
export function independent(random: Random, perSecond: number, seconds: number): Schedule {
  const times: Schedule = [];
  const gap = (): number => (-Math.log(1 - random.next()) / perSecond) * 1000;
  for (let at = gap(); at < seconds * 1000; at += gap()) times.push(at);
  return times;
}

/** Arrivals of one client that reports at a fixed interval, with a random offset. */
export function periodic(random: Random, everySeconds: number, seconds: number): Schedule {
  const times: Schedule = [];
  for (let at = random.next() * everySeconds; at < seconds; at += everySeconds) times.push(at * 1000);
  return times;
}

import type { Random } from '../random.ts';
import type { Layout } from './layout.ts';
import { box, disc } from './shapes.ts';

const MIDDLE = { x: 0, y: 0 };

/** A home island, two islands with wools that the opponents capture, and a middle island. */
export function woolIslands(random: Random): Layout {
  const base = { x: -54, y: random.int(-6, 6) };
  const upper = { x: random.int(-40, -22), y: -random.int(34, 41) };
  const lower = { x: random.int(-40, -22), y: random.int(34, 41) };
  const front = { x: -random.int(20, 26), y: random.int(-9, 9) };
  const crossing = { x: 0, y: random.pick([-1, 1]) * random.int(30, 38) };
  const middle = random.pick([disc(0, 0, random.int(12, 17)), box(0, 0, 9, 22, 6), box(0, 0, 20, 9, 6)]);
  return {
    symmetry: random.chance(0.6) ? 'turned' : 'mirrored',
    land: [
      disc(base.x, base.y, 16),
      disc(upper.x, upper.y, random.int(10, 13)),
      disc(lower.x, lower.y, random.int(10, 13)),
      disc(front.x, front.y, random.int(6, 10)),
      middle,
      disc(0, crossing.y, random.int(6, 10)),
    ],
    lanes: [
      [base, front, MIDDLE],
      [base, upper],
      [base, lower],
      [crossing.y < 0 ? upper : lower, crossing],
    ],
    laneWidth: 1.6,
    base,
    goals: [upper, lower],
    rough: 4.5,
    hills: 1.6,
    wild: 1,
  };
}

/** Two walled strongholds with cores or monuments, and three ways between them. */
export function strongholds(random: Random): Layout {
  const base = { x: -50, y: 0 };
  const wing = random.int(26, 35);
  const step = { x: random.int(-26, -18), y: random.int(30, 40) };
  const far = random.int(-56, -46);
  return {
    symmetry: random.chance(0.5) ? 'turned' : 'mirrored',
    land: [
      box(base.x, 0, 18, random.int(20, 27), random.int(4, 14)),
      disc(far, -wing, random.int(11, 14)),
      disc(far, wing, random.int(11, 14)),
      random.pick([disc(0, 0, random.int(15, 20)), box(0, 0, 11, 30, 5), box(0, 0, 18, 14, 9)]),
      disc(step.x, -step.y, random.int(7, 11)),
    ],
    lanes: [
      [base, MIDDLE],
      [
        { x: far, y: -wing },
        { x: step.x, y: -step.y },
        { x: 0, y: -12 },
      ],
      [
        { x: far, y: wing },
        { x: step.x, y: step.y * 0.7 },
        { x: 0, y: 12 },
      ],
      [{ x: far, y: -wing }, base, { x: far, y: wing }],
    ],
    laneWidth: 1.8,
    base,
    goals: [
      { x: far, y: -wing },
      { x: far, y: wing },
    ],
    rough: 3.5,
    hills: 1.8,
    wild: 1,
  };
}

/** One broad land with a river down its middle and bridges over it. */
export function riverBanks(random: Random): Layout {
  const base = { x: -52, y: random.int(-5, 5) };
  const flag = { x: -38, y: random.pick([-1, 1]) * random.int(16, 24) };
  const bridges = [-random.int(24, 32), 0, random.int(24, 32)];
  return {
    symmetry: random.chance(0.5) ? 'turned' : 'mirrored',
    land: [box(-30, 0, 34, random.int(40, 49), random.int(8, 24)), disc(base.x, base.y, 15)],
    lanes: [
      [base, { x: -26, y: 0 }, MIDDLE],
      [base, flag, { x: -20, y: bridges[0]! }, { x: 0, y: bridges[0]! }],
      [base, { x: -24, y: bridges[2]! }, { x: 0, y: bridges[2]! }],
    ],
    laneWidth: 1.7,
    base,
    goals: [flag],
    rough: 5,
    hills: 2.2,
    wild: 1,
    river: true,
  };
}

/** Points along a bent line through the land. */
export function pointChain(random: Random): Layout {
  const base = { x: -54, y: random.pick([-1, 1]) * random.int(10, 30) };
  const inner = { x: -28, y: -Math.sign(base.y) * random.int(14, 30) };
  return {
    symmetry: 'turned',
    land: [
      disc(base.x, base.y, 15),
      disc(inner.x, inner.y, random.int(15, 19)),
      disc(0, 0, random.int(15, 20)),
      box(-26, 0, 16, random.int(10, 22), 8),
    ],
    lanes: [
      [base, inner, MIDDLE],
      [base, { x: -30, y: base.y * 1.2 }, { x: -4, y: base.y * 0.9 }, MIDDLE],
    ],
    laneWidth: 1.8,
    base,
    goals: [inner],
    rough: 4,
    hills: 2,
    wild: 1,
  };
}

/** Four homes in the corners, four islands between them, one middle. */
export function fourIslands(random: Random): Layout {
  const base = { x: -42, y: -40 };
  const between = { x: 0, y: -random.int(34, 40) };
  return {
    symmetry: 'quartered',
    land: [disc(base.x, base.y, 15), disc(between.x, between.y, random.int(8, 11)), disc(0, 0, random.int(13, 18))],
    lanes: [
      [base, MIDDLE],
      [base, between, MIDDLE],
      [base, { x: between.y, y: 0 }],
    ],
    laneWidth: 1.5,
    base,
    goals: [between],
    rough: 3.5,
    hills: 1.6,
    wild: 1,
  };
}

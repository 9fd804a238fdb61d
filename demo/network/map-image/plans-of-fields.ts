import type { Random } from '../random.ts';
import type { Layout } from './layout.ts';
import { box, disc } from './shapes.ts';

const MIDDLE = { x: 0, y: 0 };

/** A hill in the middle that all paths lead to. */
export function hill(random: Random): Layout {
  const base = { x: -56, y: 0 };
  const side = random.int(30, 38);
  return {
    symmetry: 'mirrored',
    land: [
      disc(base.x, 0, 14),
      disc(0, 0, random.int(26, 34)),
      disc(-30, -side, random.int(7, 11)),
      disc(-30, side, random.int(7, 11)),
    ],
    lanes: [
      [base, MIDDLE],
      [base, { x: -30, y: -side }, { x: 0, y: -22 }],
      [base, { x: -30, y: side }, { x: 0, y: 22 }],
    ],
    laneWidth: 1.7,
    base,
    goals: [],
    rough: 3.5,
    hills: 1.2,
    wild: 1,
  };
}

/** A walled field full of cover. */
export function arena(random: Random): Layout {
  const base = { x: -50, y: random.int(-10, 10) };
  const round = random.int(6, 40);
  return {
    symmetry: 'turned',
    land: [box(0, 0, 64, random.int(42, 48), round)],
    lanes: [
      [base, { x: -24, y: -random.int(12, 26) }, MIDDLE],
      [base, { x: -24, y: random.int(12, 26) }, MIDDLE],
    ],
    laneWidth: 1.6,
    base,
    goals: [],
    rough: 0.6,
    hills: 1,
    wild: 0.6,
    walls: true,
  };
}

/** A small island with a ruin. */
export function ruin(random: Random): Layout {
  const base = { x: -46, y: 0 };
  return {
    symmetry: 'turned',
    land: [disc(0, 0, 34), disc(base.x, 0, 18), disc(-18, -random.int(28, 34), 15)],
    lanes: [
      [base, MIDDLE],
      [base, { x: -14, y: -26 }],
    ],
    laneWidth: 1.5,
    base,
    goals: [{ x: -14, y: -26 }],
    rough: 6,
    hills: 2.6,
    wild: 1.4,
  };
}

export function alleys(random: Random): Layout {
  return { ...arena(random), land: [box(0, 0, 58, 46, 5)], symmetry: 'turned', lanes: [] };
}

export function floors(random: Random): Layout {
  const round = random.chance(0.5) ? disc(0, 0, 44) : box(0, 0, 52, 42, 10);
  return {
    symmetry: 'none',
    land: [round],
    lanes: [],
    laneWidth: 0,
    base: MIDDLE,
    goals: [],
    rough: 0,
    hills: 0,
    wild: 0,
  };
}

export function court(random: Random): Layout {
  const base = { x: -50, y: 0 };
  return {
    symmetry: 'turned',
    land: [box(0, 0, 62, 42, random.int(3, 16))],
    lanes: [],
    laneWidth: 0,
    base,
    goals: [],
    rough: 0.4,
    hills: 0,
    wild: 0.3,
    walls: true,
  };
}

export function plaza(random: Random): Layout {
  const base = { x: -50, y: random.int(-8, 8) };
  const land = [box(0, 0, 44, 36, 14), disc(base.x, base.y, 15), disc(-24, -random.int(30, 36), 16)];
  return { symmetry: 'turned', land, lanes: [], laneWidth: 0, base, goals: [], rough: 2.5, hills: 0, wild: 0.3 };
}

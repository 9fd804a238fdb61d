import type { Shape } from './shapes.ts';
import type { Point, Symmetry } from './symmetry.ts';

/** The layout of one team's part of a map; symmetry creates the others. */
export interface Layout {
  symmetry: Symmetry;
  land: Shape[];
  /** Paths on land, and bridges between islands. */
  lanes: Point[][];
  laneWidth: number;
  base: Point;
  /** Positions of wools, cores, monuments or flags. */
  goals: Point[];
  /** Roughness of the coast. */
  rough: number;
  /** Height of hills. */
  hills: number;
  /** Density of plants, relative to the theme. */
  wild: number;
  river?: boolean;
  walls?: boolean;
}

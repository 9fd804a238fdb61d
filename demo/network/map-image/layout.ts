import type { Shape } from './shapes.ts';
import type { Point, Symmetry } from './symmetry.ts';

/** What is planned for one team; symmetry gives the others theirs. */
export interface Layout {
  symmetry: Symmetry;
  land: Shape[];
  /** Walked ways: paths on land, bridges over what lies between. */
  lanes: Point[][];
  laneWidth: number;
  base: Point;
  /** Where wools, cores, monuments or flags are. */
  goals: Point[];
  /** How ragged coasts are. */
  rough: number;
  /** How hilly the land is. */
  hills: number;
  /** How much grows, against what the theme has. */
  wild: number;
  river?: boolean;
  walls?: boolean;
}

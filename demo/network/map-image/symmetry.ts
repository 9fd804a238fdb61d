import { HEIGHT, WIDTH } from './relief.ts';

/** An offset in cells from the centre of the picture: to the right and down. */
export interface Point {
  x: number;
  y: number;
}

export type Symmetry = 'turned' | 'mirrored' | 'quartered' | 'none';

const TURNS: Record<Symmetry, readonly ((point: Point) => Point)[]> = {
  none: [(point) => point],
  turned: [(point) => point, ({ x, y }) => ({ x: -x, y: -y })],
  mirrored: [(point) => point, ({ x, y }) => ({ x: -x, y })],
  quartered: [
    (point) => point,
    ({ x, y }) => ({ x: -y, y: x }),
    ({ x, y }) => ({ x: -x, y: -y }),
    ({ x, y }) => ({ x: y, y: -x }),
  ],
};

/** The symmetric positions of a point, one per team, starting with the point itself. */
export function copies(symmetry: Symmetry, point: Point): Point[] {
  return TURNS[symmetry].map((turn) => turn(point));
}

export function cellOf({ x, y }: Point): { x: number; y: number } {
  return { x: Math.round(x + (WIDTH - 1) / 2), y: Math.round(y + (HEIGHT - 1) / 2) };
}

export function pointOf(x: number, y: number): Point {
  return { x: x - (WIDTH - 1) / 2, y: y - (HEIGHT - 1) / 2 };
}

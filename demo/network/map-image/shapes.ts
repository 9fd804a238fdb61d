import type { Point } from './symmetry.ts';

/** A piece of land: a rounded box around a point. A disc is a rounded box without straight sides. */
export interface Shape extends Point {
  halfWidth: number;
  halfHeight: number;
  round: number;
}

export const disc = (x: number, y: number, radius: number): Shape => ({
  x,
  y,
  halfWidth: 0,
  halfHeight: 0,
  round: radius,
});

export const box = (x: number, y: number, halfWidth: number, halfHeight: number, round = 3): Shape => ({
  x,
  y,
  halfWidth: halfWidth - round,
  halfHeight: halfHeight - round,
  round,
});

/** The distance of a point from the shape; negative inside. */
export function distanceTo({ x, y, halfWidth, halfHeight, round }: Shape, point: Point): number {
  const across = Math.max(0, Math.abs(point.x - x) - halfWidth);
  const down = Math.max(0, Math.abs(point.y - y) - halfHeight);
  // Math.hypot is slow, and most points are next to a straight side or within.
  if (across === 0 || down === 0) return across + down - round;
  return Math.hypot(across, down) - round;
}

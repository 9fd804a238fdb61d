export function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;
}

/** The smallest of the numbers that at least this share of them does not exceed; 0 where there are none. */
export function percentile(numbers: readonly number[], quota: number): number {
  const sorted = Float64Array.from(numbers).sort();
  return sorted[Math.max(0, Math.ceil(sorted.length * quota) - 1)] ?? 0;
}

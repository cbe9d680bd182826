/**
 * Upper bounds, in seconds, of every duration histogram: from 1 ms (a no-op job) to 1 h (the longest sensible
 * one).
 */
export const durationBucketsSeconds: readonly number[] = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600,
]

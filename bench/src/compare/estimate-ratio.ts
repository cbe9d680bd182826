/** A ratio that was estimated from pairs, with its 95 % confidence interval. */
export interface RatioEstimate {
  readonly ratio: number
  /** The 95 % bounds; null with fewer than `pairsForBoundsMin` pairs, which cannot give 95 % confidence. */
  readonly lower: number | null
  readonly upper: number | null
}

/** The fewest pairs that give 95 % bounds: all of five pairs agree by chance in 1 of 16 cases, which is more than 1 of 20. */
export const pairsForBoundsMin = 6

const oneSidedError = 0.025

/**
 * The Hodges–Lehmann estimate of the ratios, and the bounds that Wilcoxon's signed-rank test gives (Hollander, Wolfe
 * and Chicken, Nonparametric Statistical Methods, sections 3.2 and 3.3). It works on logarithms, so that a ratio and
 * its inverse weigh the same. One disturbed pair would widen the bounds of a paired t-test, and a bootstrap of a median of
 * twenty values covers less than its nominal level. This method assumes only that the noise favours neither side, and its
 * bounds are exact for any number of pairs.
 */
export function estimateRatio(ratios: readonly number[]): RatioEstimate {
  if (!ratios.every((ratio) => ratio > 0 && Number.isFinite(ratio))) {
    throw new Error(`every ratio must be a positive number: ${ratios.join(', ')}`)
  }
  const averages = walshAverages(ratios.map((ratio) => Math.log(ratio)))
  const rank = boundRank(ratios.length)
  return {
    ratio: Math.exp(middle(averages)),
    lower: rank === 0 ? null : Math.exp(averages[rank - 1] ?? Number.NaN),
    upper: rank === 0 ? null : Math.exp(averages[averages.length - rank] ?? Number.NaN),
  }
}

/** The means of all pairs of values, including each value with itself, in ascending order. */
function walshAverages(values: readonly number[]): number[] {
  return values
    .flatMap((value, index) => values.slice(index).map((second) => (value + second) / 2))
    .toSorted((a, b) => a - b)
}

function middle(sorted: readonly number[]): number {
  const half = sorted.length / 2
  const upper = sorted[Math.floor(half)] ?? Number.NaN
  return Number.isInteger(half) ? ((sorted[half - 1] ?? Number.NaN) + upper) / 2 : upper
}

/** The position from either end of the Walsh average that is the bound; 0 if there are too few pairs for bounds. */
function boundRank(pairs: number): number {
  let rank = 0
  let chance = 0
  for (const probability of signedRankDistribution(pairs)) {
    chance += probability
    if (chance > oneSidedError) break
    rank += 1
  }
  return rank
}

/** The probability of each signed-rank sum if neither side is faster: each rank counts with a probability of one half. */
function signedRankDistribution(pairs: number): number[] {
  let distribution = [1]
  for (let rank = 1; rank <= pairs; rank += 1) {
    const before = distribution
    distribution = Array.from(
      { length: before.length + rank },
      (_, sum) => ((before[sum] ?? 0) + (before[sum - rank] ?? 0)) / 2,
    )
  }
  return distribution
}

/** How many names are suggested, and their maximum distance as a share of the longer name. */
const suggestionsMax = 3
const distanceShareMax = 0.5

/** The names most similar to `name`, closest first; empty if none is similar. */
export function closestNames(name: string, names: readonly string[]): string[] {
  return [...new Set(names)]
    .map((candidate) => ({
      candidate,
      share: distance(name, candidate) / Math.max(name.length, candidate.length, 1),
    }))
    .filter(({ share }) => share <= distanceShareMax)
    .toSorted((a, b) => a.share - b.share || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, suggestionsMax)
    .map(({ candidate }) => candidate)
}

/** The number of letters to insert, remove or change to turn one text into the other (Levenshtein). */
function distance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= b.length; column += 1) {
      const changed = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1)
      current.push(Math.min(changed, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1))
    }
    previous = current
  }
  return previous[b.length] ?? 0
}

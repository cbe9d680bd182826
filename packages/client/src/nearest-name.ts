/** The most characters in which a misspelt name differs. */
const mistakesMax = 2
/** A longer name than this is nobody's typing mistake. */
const nameLengthMax = 64

/** What is wrong with a name that no option has: the name that was probably meant, and those that there are. */
export function describeUnknown(name: string, known: readonly string[]): string {
  const nearest = nearestOf(name, known)
  const hint = nearest === undefined ? '' : `did you mean ${nearest}? `
  return `has no option ${JSON.stringify(name.slice(0, nameLengthMax))}: ${hint}It takes ${known.join(', ')}`
}

/** The name that was probably meant by a misspelt one; undefined if none is similar. */
function nearestOf(name: string, known: readonly string[]): string | undefined {
  if (name.length > nameLengthMax) return undefined
  return known
    .map((candidate) => ({ candidate, distance: distanceOf(plain(name), plain(candidate)) }))
    .filter(({ distance }) => distance <= mistakesMax)
    .sort((a, b) => a.distance - b.distance)[0]?.candidate
}

/** `if_match` and `ifmatch` are the same mistake as `IfMatch`. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll('_', '').replaceAll('-', '')
}

/** How many characters have to be inserted, removed or replaced to make one text of the other (Levenshtein's distance). */
function distanceOf(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (let index = 0; index < one.length; index += 1) {
    const next = [index + 1]
    for (let column = 1; column <= other.length; column += 1) {
      const replaced = (row[column - 1] ?? 0) + (other[column - 1] === one[index] ? 0 : 1)
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[other.length] ?? 0
}

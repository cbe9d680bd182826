/** How many different values one label may take in a process's lifetime. */
export const labelValuesMax = 200

/** The value that replaces every one beyond the bound. */
export const otherLabel = 'other'

/**
 * Bounds the number of series: the first 200 different values pass, all later ones become `other`. Values from code (kinds,
 * routes) never reach the bound; it only matters if free text becomes a label.
 */
export function createBoundedLabel(valuesMax = labelValuesMax): (value: string) => string {
  const known = new Set<string>()
  return (value) => {
    if (known.has(value)) return value
    if (known.size >= valuesMax) return otherLabel
    known.add(value)
    return value
  }
}

/** How many different values one label may take in a process's lifetime. */
export const labelValuesMax = 200

/** What stands for every value beyond the bound. */
export const otherLabel = 'other'

/**
 * A guard against series without end: the first 200 different values pass, all later ones become `other`.
 * Values that come from code (kinds, routes) never reach the bound; should free text slip in, the damage
 * stays bounded.
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

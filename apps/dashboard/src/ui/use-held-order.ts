import { useState } from 'react'

/**
 * Rows in the order that they had when the pointer or the focus came to them, for as long as it stays: nothing moves under a hand. Those
 * that have come since stand at the end. `hold` is for what is around them.
 */
export function useHeldOrder<Row>(rows: readonly Row[], idOf: (row: Row) => string) {
  const [held, setHeld] = useState<readonly string[]>()
  const keep = (): void => setHeld((known) => known ?? rows.map(idOf))
  const release = (): void => setHeld(undefined)
  const placeOf = (row: Row): number => {
    const place = held?.indexOf(idOf(row)) ?? -1
    return place === -1 ? Infinity : place
  }
  return {
    rows: held === undefined ? rows : rows.toSorted((a, b) => compare(placeOf(a), placeOf(b))),
    hold: { onPointerEnter: keep, onPointerLeave: release, onFocus: keep, onBlur: release },
  } as const
}

/** Two that have no place are equal, and stay as they are. */
function compare(a: number, b: number): number {
  return a === b ? 0 : a - b
}

import { useState } from 'react'

/**
 * Keeps the order of rows while they have the pointer or the focus, so that no row moves under it. New rows are appended. Spread
 * `hold` on the element around the rows.
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

/** Two rows without a place are equal and keep their order. */
function compare(a: number, b: number): number {
  return a === b ? 0 : a - b
}

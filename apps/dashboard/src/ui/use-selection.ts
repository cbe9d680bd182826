import { useCallback, useEffect, useMemo, useState } from 'react'
import { onRange } from '../shell/rows.ts'

/** The selection among these rows. */
export function useSelection<Row extends { readonly id: string }>(rows: readonly Row[]) {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  const toggle = useCallback((id: string) => {
    setIds((before) => {
      const after = new Set(before)
      if (!after.delete(id)) after.add(id)
      return after
    })
  }, [])
  useEffect(
    () =>
      onRange((from, to) => {
        const [first = -1, last = -1] = [from, to]
          .map((id) => rows.findIndex((row) => row.id === id))
          .toSorted((a, b) => a - b)
        if (first === -1) return false
        setIds((before) => new Set([...before, ...rows.slice(first, last + 1).map(({ id }) => id)]))
        return true
      }),
    [rows],
  )
  const selected = useMemo(() => rows.filter(({ id }) => ids.has(id)), [rows, ids])
  const all = rows.length > 0 && selected.length === rows.length
  return {
    ids,
    selected,
    all,
    toggle,
    toggleAll: () => setIds(all ? new Set() : new Set(rows.map(({ id }) => id))),
    clear: () => setIds(new Set()),
  }
}

export type Selection<Row extends { readonly id: string }> = ReturnType<typeof useSelection<Row>>

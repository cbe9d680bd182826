import { useCallback, useMemo, useState } from 'react'

/** Which rows are chosen, of those that are there. */
export function useSelection<Row extends { readonly id: string }>(rows: readonly Row[]) {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  const toggle = useCallback((id: string) => {
    setIds((before) => {
      const after = new Set(before)
      if (!after.delete(id)) after.add(id)
      return after
    })
  }, [])
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

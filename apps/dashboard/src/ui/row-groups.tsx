import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'

interface RowGroupsProps<Row> {
  readonly rows: readonly Row[]
  readonly children: (row: Row) => ReactNode
}

/** The number of rows of one page of a list. */
const groupRows = 50
/** Groups that are rendered before their position is known. */
const firstGroups = 2
/** How far outside the viewport rows are rendered, in pixels: further than one scroll step. */
const beyondPx = 2_000
/** The assumed height of a row before its group is rendered, in pixels. */
const rowPx = 36

/**
 * The bodies of a table. A group of rows far outside the viewport is rendered as one empty row of the same height, because ten
 * thousand rows would take seconds to render, on every change.
 */
export function RowGroups<Row>({ rows, children }: RowGroupsProps<Row>) {
  const groups = useMemo(() => {
    const count = Math.ceil(rows.length / groupRows)
    return Array.from({ length: count }, (_, at) => rows.slice(at * groupRows, (at + 1) * groupRows))
  }, [rows])
  return groups.map((group, at) => (
    <RowGroup key={at} rows={group} isFirst={at < firstGroups}>
      {children}
    </RowGroup>
  ))
}

function RowGroup<Row>({ rows, isFirst, children }: RowGroupsProps<Row> & { readonly isFirst: boolean }) {
  const ref = useRef<HTMLTableSectionElement>(null)
  const [isNear, setIsNear] = useState(isFirst)
  const [heightPx, setHeightPx] = useState<number>()
  useEffect(() => {
    const body = ref.current
    if (body === null) return undefined
    const update = ([entry]: IntersectionObserverEntry[]): void => {
      if (entry === undefined) return
      // A group that has the focus stays rendered, or the focus would be lost.
      if (!entry.isIntersecting && body.contains(document.activeElement)) return
      if (!entry.isIntersecting) setHeightPx(entry.boundingClientRect.height)
      setIsNear(entry.isIntersecting)
    }
    const observer = new IntersectionObserver(update, { rootMargin: `${beyondPx}px 0px` })
    observer.observe(body)
    return () => observer.disconnect()
  }, [])
  const height = heightPx ?? rows.length * rowPx
  return (
    <tbody ref={ref}>
      {isNear ? (
        rows.map(children)
      ) : (
        <tr aria-hidden>
          <td style={{ height }} />
        </tr>
      )}
    </tbody>
  )
}

import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'

interface RowGroupsProps<Row> {
  readonly rows: readonly Row[]
  readonly children: (row: Row) => ReactNode
}

/** As many as a page of a list has. */
const groupRows = 50
/** Groups that are drawn before anybody knows where they are. */
const firstGroups = 2
/** How far beyond the window rows are drawn, in pixels: further than a key or a finger goes before they are. */
const beyondPx = 2_000
/** What a row is taken to be high before its group was drawn, in pixels. */
const rowPx = 36

/**
 * The bodies of a table. Rows that are far from the window leave their height alone: ten thousand would take seconds to draw, and
 * again whenever the page changes.
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
    const look = ([entry]: IntersectionObserverEntry[]): void => {
      if (entry === undefined) return
      // A group with the focus stays: it would be lost.
      if (!entry.isIntersecting && body.contains(document.activeElement)) return
      if (!entry.isIntersecting) setHeightPx(entry.boundingClientRect.height)
      setIsNear(entry.isIntersecting)
    }
    const observer = new IntersectionObserver(look, { rootMargin: `${beyondPx}px 0px` })
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

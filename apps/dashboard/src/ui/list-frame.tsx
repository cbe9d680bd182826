import { ArrowUp } from 'lucide-react'
import type { ReactNode } from 'react'
import type { useList } from '../api/use-list.ts'
import { Button } from './controls.tsx'
import { Loaded, StaleBar } from './feedback.tsx'
import { formatCount } from './format.ts'
import { Time } from './time.tsx'
import styles from './ui.module.css'

interface ListFrameProps<Row extends { readonly id: string }> {
  readonly list: ReturnType<typeof useList<Row>>
  /** The plural noun for rows, as in "14 newer jobs". */
  readonly noun: string
  readonly empty: ReactNode
  readonly children: (rows: readonly Row[]) => ReactNode
}

/** A list with a button for newer rows above it and one for older rows below. */
export function ListFrame<Row extends { readonly id: string }>({
  list,
  noun,
  empty,
  children,
}: ListFrameProps<Row>) {
  const { query, rows, newer, failure, readAtMs, scanned } = list
  const more = query.hasNextPage
  return (
    <Loaded query={{ ...query, error: query.data === undefined ? query.error : null }} rows={12}>
      {() => (
        <>
          {failure !== null && <StaleBar error={failure} readAtMs={readAtMs} retry={query.refetch} />}
          {newer > 0 && (
            <div className={styles['newer']} role="status">
              <Button data-key="." onClick={list.showNewer}>
                <ArrowUp size={14} aria-hidden />
                {newer} newer {noun}
              </Button>
            </div>
          )}
          {rows.length === 0 && !more ? empty : children(rows)}
          {more && (
            <div className={styles['older']}>
              {scanned !== null && scanned !== undefined && (
                <span className={styles['hint']}>
                  {formatCount(rows.length)} found in the last {formatCount(scanned.rows)} {noun}, back to{' '}
                  <Time at={scanned.back_to} format="instant" />
                </span>
              )}
              <Button disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                {query.isFetchingNextPage
                  ? 'Loading'
                  : scanned
                    ? 'Search further back'
                    : `Load older ${noun}`}
              </Button>
            </div>
          )}
        </>
      )}
    </Loaded>
  )
}

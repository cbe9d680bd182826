import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { usePaused } from '../shell/live.ts'

interface Page<Row> {
  readonly data: readonly Row[]
  readonly next_cursor: string | null
  /** How far the API has scanned, if it stopped before the end. */
  readonly scanned?: { readonly rows: number; readonly back_to: string } | null
}

interface ListOptions<Row> {
  readonly queryKey: readonly unknown[]
  /** The polling interval of the newest page. */
  readonly everyMs: number
  readonly fetchPage: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<Row>>
}

/** A list whose rows update in place. Newer rows are shown only on request, so that rows do not move. */
export function useList<Row extends { readonly id: string }>({
  queryKey,
  everyMs,
  fetchPage,
}: ListOptions<Row>) {
  const paused = usePaused()
  const pages = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => fetchPage(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
    staleTime: Infinity,
  })
  const newest = useQuery({
    queryKey: [...queryKey, 'newest'],
    queryFn: ({ signal }) => fetchPage(undefined, signal),
    refetchInterval: paused ? false : everyMs,
    enabled: pages.isSuccess,
    staleTime: everyMs,
  })
  const loaded = useMemo(() => pages.data?.pages.flatMap(({ data }) => data) ?? [], [pages.data])
  const fresh = useMemo(() => new Map((newest.data?.data ?? []).map((row) => [row.id, row])), [newest.data])
  const known = useMemo(() => new Set(loaded.map(({ id }) => id)), [loaded])
  const isPrevious = pages.isPlaceholderData
  const isOlder = newest.dataUpdatedAt < pages.dataUpdatedAt
  return {
    query: pages,
    /** How far the loaded pages have scanned, if the last one stopped before it was full. */
    scanned: scannedOf(pages.data?.pages ?? []),
    /** When the shown rows were fetched. */
    readAtMs: Math.max(pages.dataUpdatedAt, newest.dataUpdatedAt),
    failure: newest.error ?? pages.error,
    rows: useMemo(() => loaded.map((row) => fresh.get(row.id) ?? row), [loaded, fresh]),
    /** The ids of rows that no longer match, as far as the newest page shows. They stay until the list is reloaded. */
    outdated: useMemo(
      () => (isOlder || isPrevious ? noIds : outdatedOf(loaded, newest.data)),
      [isOlder, isPrevious, loaded, newest.data],
    ),
    /** The number of newer rows, at most one page. */
    newer: isPrevious ? 0 : [...fresh.keys()].filter((id) => !known.has(id)).length,
    showNewer: () => void pages.refetch(),
  }
}

const noIds: ReadonlySet<string> = new Set()

/** The loaded rows that the newest page does not have. Beyond the last common row, it says nothing. */
function outdatedOf<Row extends { readonly id: string }>(
  loaded: readonly Row[],
  newest: Page<Row> | undefined,
): ReadonlySet<string> {
  if (newest === undefined) return noIds
  const present = new Set(newest.data.map(({ id }) => id))
  const lastOfBoth = loaded.findLastIndex(({ id }) => present.has(id))
  const reached = newest.next_cursor === null ? loaded : loaded.slice(0, lastOfBoth + 1)
  return new Set(reached.filter(({ id }) => !present.has(id)).map(({ id }) => id))
}

function scannedOf(pages: readonly Page<unknown>[]): Page<unknown>['scanned'] {
  const last = pages.at(-1)?.scanned
  if (last === undefined || last === null) return null
  return { ...last, rows: pages.reduce((sum, { scanned }) => sum + (scanned?.rows ?? 0), 0) }
}

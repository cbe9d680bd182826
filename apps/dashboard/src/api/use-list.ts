import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { usePaused } from '../shell/live.ts'

interface Page<Row> {
  readonly data: readonly Row[]
  readonly next_cursor: string | null
  /** How far it has looked, where it has not looked at everything. */
  readonly scanned?: { readonly rows: number; readonly back_to: string } | null
}

interface ListOptions<Row> {
  readonly queryKey: readonly unknown[]
  /** How often its newest page is read again. */
  readonly everyMs: number
  readonly fetchPage: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<Row>>
}

/** A list that stands still: rows change in place, and new ones wait until they are asked for. */
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
    /** How far the pages reach that were read, where the last of them has not found as many as it might. */
    scanned: scannedOf(pages.data?.pages ?? []),
    /** When what is shown was read. */
    readAtMs: Math.max(pages.dataUpdatedAt, newest.dataUpdatedAt),
    failure: newest.error ?? pages.error,
    rows: useMemo(() => loaded.map((row) => fresh.get(row.id) ?? row), [loaded, fresh]),
    /** Those that match no longer, as far as the newest page tells: they stay where they are until somebody asks. */
    left: useMemo(
      () => (isOlder || isPrevious ? noIds : leftOf(loaded, newest.data)),
      [isOlder, isPrevious, loaded, newest.data],
    ),
    /** How many have come since, of which at most a page is counted. */
    newer: isPrevious ? 0 : [...fresh.keys()].filter((id) => !known.has(id)).length,
    showNewer: () => void pages.refetch(),
  }
}

const noIds: ReadonlySet<string> = new Set()

/** The rows that are not where the newest page would have them. Beyond the last row that both have it says nothing. */
function leftOf<Row extends { readonly id: string }>(
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

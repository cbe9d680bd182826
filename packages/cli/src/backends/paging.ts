/** One page of a list, as the API returns it. */
export interface Page<Item> {
  readonly data: Item[]
  readonly next_cursor: string | null
}

/** A page: its maximum number of items, and its cursor. Without a cursor, the first page. */
export interface PageQuery {
  readonly limit: number
  readonly cursor?: string
}

/** Maximum number of items in a page of the API. */
export const pageItemsMax = 200

export interface CollectOptions {
  /** Maximum number of items to collect. */
  readonly limit: number
  /** Cursor of the first page. Absent: start at the beginning. */
  readonly cursor?: string | undefined
  readonly signal: AbortSignal
}

/** Collects pages until the limit or the end is reached. A page that is short or empty is not necessarily the last one. */
export async function collectPages<Item>(
  fetchPage: (query: PageQuery) => Promise<Page<Item>>,
  { limit, cursor, signal }: CollectOptions,
): Promise<Page<Item>> {
  const data: Item[] = []
  let next: string | null = cursor ?? null
  do {
    signal.throwIfAborted()
    const pageLimit = Math.min(pageItemsMax, limit - data.length)
    const page: Page<Item> = await fetchPage({ limit: pageLimit, ...(next !== null && { cursor: next }) })
    data.push(...page.data)
    next = page.next_cursor
  } while (next !== null && data.length < limit)
  return { data, next_cursor: next }
}

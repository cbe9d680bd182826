/** One page of a list, as the API answers it. */
export interface Page<Item> {
  readonly data: Item[]
  readonly next_cursor: string | null
}

/** Which page: how many items at most, and where it begins; without a cursor at the start. */
export interface PageQuery {
  readonly limit: number
  readonly cursor?: string
}

/** As many as a page may have. */
export const pageItemsMax = 200

export interface CollectOptions {
  /** How many items are wanted at most. */
  readonly limit: number
  /** Where the first page begins; absent: at the start. */
  readonly cursor?: string | undefined
  readonly signal: AbortSignal
}

/** Page after page, until there are as many items as are wanted. A page may be short or empty and not be the last. */
export async function collectPages<Item>(
  fetchPage: (query: PageQuery) => Promise<Page<Item>>,
  { limit, cursor, signal }: CollectOptions,
): Promise<Page<Item>> {
  const data: Item[] = []
  let next: string | null = cursor ?? null
  do {
    signal.throwIfAborted()
    const wanted = Math.min(pageItemsMax, limit - data.length)
    const page: Page<Item> = await fetchPage({ limit: wanted, ...(next !== null && { cursor: next }) })
    data.push(...page.data)
    next = page.next_cursor
  } while (next !== null && data.length < limit)
  return { data, next_cursor: next }
}

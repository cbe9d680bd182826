interface Page<Item> {
  readonly data: readonly Item[]
  readonly next_cursor: string | null
}

/** The items of all pages. A page is fetched when the one before is used up. An empty page is not always the last. */
export async function* paginate<Item>(
  fetchPage: (cursor: string | undefined) => Promise<Page<Item>>,
): AsyncGenerator<Item, void, undefined> {
  let cursor: string | undefined
  do {
    const page = await fetchPage(cursor)
    yield* page.data
    cursor = page.next_cursor ?? undefined
  } while (cursor !== undefined)
}

// What the commands that list something have in common: how many there are, where the list goes on, and how it is printed.
import type { Context } from '../command.ts'
import { collectPages, type Page, type PageQuery } from '../doors/paging.ts'
import { text, whole } from '../options.ts'

const listedMax = 10_000
const listedDefault = 50

/** The options of a list. */
export const pageOptions = pageOptionsOf(listedDefault)

/** The same with so many items where the caller does not say how many. */
export function pageOptionsOf(limitDefault: number) {
  return {
    limit: whole('N', { min: 1, max: listedMax }, `how many at most; default: ${limitDefault}`),
    cursor: text('CURSOR', 'go on where an earlier list ended, with the same filters'),
  }
}

interface PageValues {
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

export interface Listing<Item> {
  readonly fetchPage: (query: PageQuery) => Promise<Page<Item>>
  /** Prints the items where JSON is not wanted. */
  readonly show: (items: Item[]) => Promise<void>
  /** How many are listed where the caller does not say; default 50. */
  readonly limitDefault?: number
}

/** Fetches as many items as are wanted, and prints them, and where the list goes on. */
export async function printList<Item>(
  { values, print, signal }: Pick<Context<PageValues>, 'values' | 'print' | 'signal'>,
  { fetchPage, show, limitDefault = listedDefault }: Listing<Item>,
): Promise<void> {
  const { limit = limitDefault, cursor } = values
  const page = await collectPages(fetchPage, { limit, cursor, signal })
  if (print.isJson) return print.json(page)
  await show(page.data)
  if (page.next_cursor !== null) print.note(`there are more: --cursor ${page.next_cursor}`)
}

// The options and the output of commands that list something.
import { text, whole } from '@queue/commands'
import type { Context } from '../command.ts'
import { collectPages, type Page, type PageQuery } from '../backends/paging.ts'

const listedMax = 10_000
const listedDefault = 50

/** The options of a paginated list. */
export const pageOptions = pageOptionsOf(listedDefault)

/** The same with another default limit. */
export function pageOptionsOf(limitDefault: number) {
  return {
    limit: whole('N', { min: 1, max: listedMax }, `maximum number of items; default: ${limitDefault}`),
    cursor: text('CURSOR', 'continue an earlier list, with the same filters'),
  }
}

interface PageValues {
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

export interface Listing<Item> {
  readonly fetchPage: (query: PageQuery) => Promise<Page<Item>>
  /** Prints the items as text. */
  readonly show: (items: Item[]) => Promise<void>
  /** Default limit; default 50. */
  readonly limitDefault?: number
}

/** Fetches the requested number of items, prints them, and prints the cursor of the next page. */
export async function printList<Item>(
  { values, print, signal }: Pick<Context<PageValues>, 'values' | 'print' | 'signal'>,
  { fetchPage, show, limitDefault = listedDefault }: Listing<Item>,
): Promise<void> {
  const { limit = limitDefault, cursor } = values
  const page = await collectPages(fetchPage, { limit, cursor, signal })
  if (print.isJson) return print.json(page)
  await show(page.data)
  if (page.next_cursor !== null) print.note(`there are more: continue with --cursor ${page.next_cursor}`)
}

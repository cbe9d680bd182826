import { type Context, defineCommand } from '../command.ts'
import { type Page, pageItemsMax } from '../doors/paging.ts'
import { text } from '../options.ts'
import { deadLetterFilterOptions, deadLettersPage, toDeadLetterFilter } from './dead-letters.ts'
import { jobFilterOptions, jobsPage, toJobFilter } from './jobs.ts'

const cursor = text('CURSOR', 'go on where an export has stopped, with the same filters')

const description =
  'One JSON document for each line. A page is read when the one before is written, so that memory does not grow. Standard error says how far it is; where it stops, the cursor to go on with.'

export const exportJobs = defineCommand({
  name: 'export jobs',
  summary: 'write jobs as NDJSON, the newest first',
  description,
  arguments: [],
  options: { ...jobFilterOptions, cursor },
  examples: [
    {
      line: 'queue export jobs --status succeeded --created-before 2026-02-01 > jobs.ndjson',
      says: 'All of them',
    },
    {
      line: 'queue export jobs --status succeeded --cursor CURSOR >> jobs.ndjson',
      says: 'Go on after an interruption',
    },
  ],
  async run(context) {
    const way = await context.door()
    const filter = toJobFilter(context.values)
    await exportPages(context, (query) => jobsPage(way, { ...filter, ...query }))
  },
})

export const exportDeadLetters = defineCommand({
  name: 'export dead-letters',
  summary: 'write dead letters as NDJSON, the latest first',
  description,
  arguments: [],
  options: { ...deadLetterFilterOptions, cursor },
  examples: [
    { line: 'queue export dead-letters --kind send_email > failed.ndjson', says: 'With their attempts' },
  ],
  async run(context) {
    const way = await context.door()
    const filter = toDeadLetterFilter(context.values)
    await exportPages(context, (query) => deadLettersPage(way, { ...filter, ...query }))
  },
})

type FetchPage = (query: { readonly limit: number; readonly cursor?: string }) => Promise<Page<unknown>>

/** Writes page after page. Whatever stops it, the cursor is that of the first page that was not written. */
async function exportPages(
  { values, print, signal }: Context<{ readonly cursor?: string }>,
  fetchPage: FetchPage,
): Promise<void> {
  let next: string | null = values.cursor ?? null
  let count = 0
  try {
    do {
      signal.throwIfAborted()
      const page: Page<unknown> = await orAborted(
        fetchPage({ limit: pageItemsMax, ...(next !== null && { cursor: next }) }),
        signal,
      )
      await print.raw(page.data.map((one) => `${JSON.stringify(one)}\n`).join(''))
      next = page.next_cursor
      count += page.data.length
      print.progress(`${count} written${next === null ? '' : `, next: --cursor ${next}`}`)
    } while (next !== null)
  } catch (error) {
    print.note(
      next === null ? `stopped after ${count}` : `stopped after ${count}: go on with --cursor ${next}`,
    )
    throw error
  }
  print.note(`${count} written`)
}

async function orAborted<Result>(running: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const aborted = Promise.withResolvers<never>()
  const abort = (): void => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([running, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

import { safeJson, text } from '@queue/commands'
import { type Context, defineCommand } from '../../command.ts'
import { type Page, pageItemsMax } from '../../backends/paging.ts'
import { deadLetterFilterOptions, deadLettersPage, toDeadLetterFilter } from '../acts/dead-letters.ts'
import { jobFilterOptions, jobsPage, toJobFilter } from './jobs.ts'

const cursor = text('CURSOR', 'continue an export that stopped, with the same filters')

const description =
  'Writes one JSON document per line. Memory use is constant: each page is written before the next one is read. ' +
  'Progress goes to standard error; if the export stops, so does the cursor to continue with.'

export const exportJobs = defineCommand({
  name: 'export jobs',
  summary: 'export jobs as NDJSON, newest first',
  description,
  arguments: [],
  options: { ...jobFilterOptions, cursor },
  examples: [
    {
      line: 'queue export jobs --status succeeded --created-before 2026-02-01 > jobs.ndjson',
      description: 'Export all succeeded jobs before a day',
    },
    {
      line: 'queue export jobs --status succeeded --cursor CURSOR >> jobs.ndjson',
      description: 'Continue after an interruption',
    },
  ],
  async run(context) {
    const backend = await context.connect()
    const filter = toJobFilter(context.values)
    await exportPages(context, (query) => jobsPage(backend, { ...filter, ...query }))
  },
})

export const exportDeadLetters = defineCommand({
  name: 'export dead-letters',
  summary: 'export dead letters as NDJSON, newest first',
  description,
  arguments: [],
  options: { ...deadLetterFilterOptions, cursor },
  examples: [
    {
      line: 'queue export dead-letters --kind send_email > failed.ndjson',
      description: 'Export the dead letters of a kind, with their attempts',
    },
  ],
  async run(context) {
    const backend = await context.connect()
    const filter = toDeadLetterFilter(context.values)
    await exportPages(context, (query) => deadLettersPage(backend, { ...filter, ...query }))
  },
})

type FetchPage = (query: { readonly limit: number; readonly cursor?: string }) => Promise<Page<unknown>>

/** Writes page after page. If the export stops, it prints the cursor of the first page that was not written. */
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
      const writing = print.raw(page.data.map((one) => `${safeJson(one)}\n`).join(''))
      await orAborted(writing, signal).catch((error: unknown) => {
        // Once stopped, the process still hands this page to a slow reader before it ends.
        if (signal.aborted) [next, count] = [page.next_cursor, count + page.data.length]
        throw error
      })
      next = page.next_cursor
      count += page.data.length
      print.progress(`${count} written${next === null ? '' : `, next: --cursor ${next}`}`)
    } while (next !== null)
  } catch (error) {
    print.note(
      next === null ? `stopped after ${count}` : `stopped after ${count}: continue with --cursor ${next}`,
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

import { setTimeout as sleep } from 'node:timers/promises'
import { isEnded, type LogLevel, type LogLine, type LogList, type LogPageQuery } from '@queue/client'
import type { Queue } from '@queue/core'
import { defineCommand } from '../command.ts'
import { eitherWay } from '../doors/door.ts'
import { toWire } from '../doors/wire.ts'
import { choice, flag } from '../options.ts'
import { safeText } from '../output/safe-text.ts'
import { jobNotFound, toSeconds } from './jobs.ts'
import { pageOptionsOf, printList } from './list-page.ts'

interface Page {
  readonly id: string
  readonly query: LogPageQuery
}

const logsPage = eitherWay<Page, Promise<LogList>>({
  api: (client, { id, query }) => client.logsPage(id, query),
  database: async (queue, { id, query }) => {
    const page = await queue.logs(id, query)
    if (page === undefined) throw jobNotFound()
    return { data: toWire(page.lines), next_cursor: page.nextCursor }
  },
})

interface Followed {
  readonly id: string
  readonly signal: AbortSignal
  readonly level: LogLevel
}

const linesUntilEnd = eitherWay<Followed, AsyncIterable<LogLine>>({
  api: (client, { id, ...options }) => client.followLogs(id, options),
  database: (queue, followed) => linesInDatabase(queue, followed),
})

/** Between two reads of the log of a job, as in the API. */
const pollMs = 500

async function* linesInDatabase(
  queue: Queue,
  { id, signal, level }: Followed,
): AsyncGenerator<LogLine, void> {
  // What is of the database's way alone is loaded with it.
  const { encodeLogCursor } = await import('@queue/core/fields')
  for (let cursor: string | undefined; ; await sleep(pollMs, undefined, { signal })) {
    // The lines of an attempt are there before its end is.
    const [state] = await queue.states([id])
    for (let hasMore = true; hasMore; ) {
      const page = await queue.logs(id, { level, limit: 200, cursor })
      if (page === undefined) throw jobNotFound()
      yield* toWire(page.lines)
      const last = page.lines.at(-1)
      cursor = page.nextCursor ?? (last === undefined ? cursor : encodeLogCursor(last))
      hasMore = page.nextCursor !== null
    }
    if (state === undefined || isEnded(state)) return
  }
}

const levels = ['debug', 'info', 'warn', 'error'] as const satisfies readonly LogLevel[]
const linesDefault = 1_000

export const showLogs = defineCommand({
  name: 'logs',
  summary: 'show what the handler of a job has logged',
  description:
    'One line for each: when, in which attempt, how severe, what. With --follow it goes on until the job has ended.',
  arguments: [{ name: 'ID' }],
  options: {
    level: choice('LEVEL', levels, 'lines of this level and of those that are more severe'),
    follow: flag('go on until the job has ended'),
    ...pageOptionsOf(linesDefault),
  },
  examples: [
    { line: 'queue logs ID', says: 'All that it has logged' },
    { line: 'queue logs ID --level warn', says: 'Warnings and errors' },
    { line: 'queue logs ID --follow', says: 'Watch it while it runs' },
  ],
  async run(context) {
    const { words, values, door, print, signal } = context
    const [id = ''] = words
    const { level } = values
    const way = await door()
    if (values.follow) {
      for await (const line of linesUntilEnd(way, { id, signal, level: level ?? 'debug' })) {
        await (print.isJson ? print.json(line) : print.raw(textOf(line)))
      }
      return
    }
    const asked = level === undefined ? {} : { level }
    await printList(context, {
      fetchPage: (query) => logsPage(way, { id, query: { ...asked, ...query } }),
      show: async (lines) => {
        for (const line of lines) await print.raw(textOf(line))
      },
      limitDefault: linesDefault,
    })
  },
})

function textOf({ at, attempt, level, message, fields }: LogLine): string {
  const parts = [toSeconds(at), attempt, level.padEnd(4), safeText(message)]
  if (fields !== null) parts.push(safeText(JSON.stringify(fields)))
  return `${parts.join('  ')}\n`
}

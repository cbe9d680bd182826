import { setTimeout as sleep } from 'node:timers/promises'
import { isEnded, type LogLevel, type LogLine, type LogList, type LogPageQuery } from '@queue/client'
import { choice, flag, safeText } from '@queue/commands'
import type { Queue } from '@queue/core'
import { defineCommand } from '../../command.ts'
import { backendCall } from '../../backends/backend.ts'
import { toWire } from '../../backends/wire.ts'
import { jobNotFound, toSeconds } from '../reads/jobs.ts'
import { pageOptionsOf, printList } from '../list-page.ts'

interface Page {
  readonly id: string
  readonly query: LogPageQuery
}

const logsPage = backendCall<Page, Promise<LogList>>({
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

const linesUntilEnd = backendCall<Followed, AsyncIterable<LogLine>>({
  api: (client, { id, ...options }) => client.followLogs(id, options),
  database: (queue, followed) => linesInDatabase(queue, followed),
})

/** Interval between two reads of the log of a job. */
const pollMs = 500

async function* linesInDatabase(
  queue: Queue,
  { id, signal, level }: Followed,
): AsyncGenerator<LogLine, void> {
  // Loaded only for the database.
  const { encodeLogCursor } = await import('@queue/core/internal')
  for (let cursor: string | undefined; ; await sleep(pollMs, undefined, { signal })) {
    // All lines of an attempt are stored before its end.
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
  summary: 'show the log lines of a job',
  description:
    'Prints one line for each: time, attempt, level, message and fields. With --follow, it continues until the job ' +
    'has ended.',
  arguments: [{ name: 'ID' }],
  options: {
    level: choice('LEVEL', levels, 'only lines of this level or higher'),
    follow: flag('continue until the job has ended'),
    ...pageOptionsOf(linesDefault),
  },
  examples: [
    { line: 'queue logs ID', description: 'All log lines' },
    { line: 'queue logs ID --level warn', description: 'Warnings and errors' },
    { line: 'queue logs ID --follow', description: 'Follow the log while the job runs' },
  ],
  async run(context) {
    const { args, values, connect, print, signal } = context
    const [id = ''] = args
    const { level } = values
    const backend = await connect()
    if (values.follow) {
      for await (const line of linesUntilEnd(backend, { id, signal, level: level ?? 'debug' })) {
        await (print.isJson ? print.json(line) : print.raw(textOf(line)))
      }
      return
    }
    const filter = level === undefined ? {} : { level }
    await printList(context, {
      fetchPage: (query) => logsPage(backend, { id, query: { ...filter, ...query } }),
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

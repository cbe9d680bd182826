import type { ExpectedStart, JobStateSummary, Why, WhyReason } from '@queue/client'
import type { JobState } from '@queue/core'
import { defineCommand } from '../command.ts'
import { eitherWay } from '../doors/door.ts'
import { toWire } from '../doors/wire.ts'
import type { Column } from '../output/table.ts'
import { jobNotFound, toSeconds } from './jobs.ts'

const readStates = eitherWay<readonly string[], Promise<JobStateSummary[]>>({
  api: (client, ids) => client.states(ids),
  database: async (queue, ids) => toWire((await queue.states(ids)).map(summaryOf)),
})

/** Without what its handler says, which may be sensitive. */
function summaryOf({ id, status, attempts, maxAttempts, cancelRequested, progress, updatedAt }: JobState) {
  return { id, status, attempts, maxAttempts, cancelRequested, progress, updatedAt }
}

const readStart = eitherWay<string, Promise<ExpectedStart>>({
  api: (client, id) => client.expectedStart(id),
  database: async (queue, id) => {
    const start = await queue.expectedStart(id)
    if (start === undefined) throw jobNotFound()
    return toWire(start)
  },
})

const readWhy = eitherWay<string, Promise<Why>>({
  api: (client, id) => client.why(id),
  database: async (queue, id) => {
    const why = await queue.why(id)
    if (why === undefined) throw jobNotFound()
    return toWire(why)
  },
})

const columns: readonly Column<JobStateSummary>[] = [
  { title: 'id', of: ({ id }) => id },
  { title: 'status', of: ({ status }) => status },
  { title: 'attempts', of: ({ attempts, max_attempts: max }) => `${attempts}/${max}`, align: 'right' },
  { title: 'progress', of: ({ progress }) => progress, align: 'right' },
  { title: 'changed', of: ({ updated_at: at }) => toSeconds(at) },
]

export const showStates = defineCommand({
  name: 'states',
  summary: 'show the states of up to 200 jobs in one read',
  description: 'Those that are not there are left out.',
  arguments: [{ name: 'ID', count: 'many' }],
  options: {},
  examples: [{ line: 'queue states ID', says: 'How far it is' }],
  async run({ words, door, print }) {
    const data = await readStates(await door(), words)
    await (print.isJson ? print.json({ data }) : print.table(data, columns))
  },
})

export const showExpectedStart = defineCommand({
  name: 'expected-start',
  summary: 'show when a waiting job begins, as far as the last minutes tell',
  arguments: [{ name: 'ID' }],
  options: {},
  examples: [{ line: 'queue expected-start ID', says: 'Its place, the rate of its queue, and the instant' }],
  async run({ words: [id = ''], door, print }) {
    const start = await readStart(await door(), id)
    await (print.isJson ? print.json(start) : print.detail({ ...start }))
  },
})

const reasonColumns: readonly Column<WhyReason>[] = [
  { title: 'reason', of: ({ code }) => code },
  { title: 'blocks', of: ({ blocking }) => (blocking ? 'yes' : 'no') },
  { title: 'since', of: ({ since }) => toSeconds(since) },
  { title: 'until', of: ({ until }) => toSeconds(until) },
  { title: 'why', of: ({ message }) => message, shrinks: true },
  { title: 'ends by', of: ({ ends }) => ends, shrinks: true },
]

const holderColumns: readonly Column<{ readonly reason: WhyReason; readonly holder: string }>[] = [
  { title: 'reason', of: ({ reason }) => reason.code },
  { title: 'scope', of: ({ reason }) => reason.details.scope },
  { title: 'held by', of: ({ holder }) => holder },
]

export const showWhy = defineCommand({
  name: 'why',
  summary: 'show why a job does not start, and what would end each reason',
  description:
    'Those that block are conditions of the claim itself. Where none blocks, it tells the place of the job and when it begins, as ' +
    'far as the last minutes tell.',
  arguments: [{ name: 'ID' }],
  options: {},
  examples: [{ line: 'queue why ID', says: 'Its reasons, or its place' }],
  async run({ words: [id = ''], door, print }) {
    const why = await readWhy(await door(), id)
    if (print.isJson) return print.json(why)
    if (why.reasons.length > 0) await print.table(why.reasons, reasonColumns)
    const holders = why.reasons.flatMap((reason) =>
      (reason.details.held_by ?? []).map((holder) => ({ reason, holder })),
    )
    if (holders.length > 0) await print.table(holders, holderColumns)
    if (why.start !== null) await print.detail({ ...why.start })
  },
})

import type { ExpectedStart, JobStateSummary, Why, WhyReason } from '@queue/client'
import type { Column } from '@queue/commands'
import type { JobState } from '@queue/core'
import { defineCommand } from '../../command.ts'
import { backendCall } from '../../backends/backend.ts'
import { toWire } from '../../backends/wire.ts'
import { jobNotFound, toSeconds } from './jobs.ts'

const readStates = backendCall<readonly string[], Promise<JobStateSummary[]>>({
  api: (client, ids) => client.states(ids),
  database: async (queue, ids) => toWire((await queue.states(ids)).map(summaryOf)),
})

/** Without the progress message, which can be sensitive. */
function summaryOf({ id, status, attempts, maxAttempts, cancelRequested, progress, updatedAt }: JobState) {
  return { id, status, attempts, maxAttempts, cancelRequested, progress, updatedAt }
}

const readStart = backendCall<string, Promise<ExpectedStart>>({
  api: (client, id) => client.expectedStart(id),
  database: async (queue, id) => {
    const start = await queue.expectedStart(id)
    if (start === undefined) throw jobNotFound()
    return toWire(start)
  },
})

const readWhy = backendCall<string, Promise<Why>>({
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
  summary: 'show the states of up to 200 jobs',
  description: 'Jobs that do not exist are left out.',
  arguments: [{ name: 'ID', count: 'many' }],
  options: {},
  examples: [{ line: 'queue states ID', description: 'Status and progress of a job' }],
  async run({ args, connect, print }) {
    const data = await readStates(await connect(), args)
    await (print.isJson ? print.json({ data }) : print.table(data, columns))
  },
})

export const showExpectedStart = defineCommand({
  name: 'expected-start',
  summary: 'estimate when a waiting job will start, from the last minutes',
  arguments: [{ name: 'ID' }],
  options: {},
  examples: [
    {
      line: 'queue expected-start ID',
      description: 'Position, start rate of the queue, and estimated start',
    },
  ],
  async run({ args: [id = ''], connect, print }) {
    const start = await readStart(await connect(), id)
    await (print.isJson ? print.json(start) : print.detail({ ...start }))
  },
})

const reasonColumns: readonly Column<WhyReason>[] = [
  { title: 'reason', of: ({ code }) => code },
  { title: 'blocking', of: ({ blocking }) => (blocking ? 'yes' : 'no') },
  { title: 'since', of: ({ since }) => toSeconds(since) },
  { title: 'until', of: ({ until }) => toSeconds(until) },
  { title: 'message', of: ({ message }) => message, shrinks: true },
  { title: 'fix', of: ({ ends }) => ends, shrinks: true },
]

const holderColumns: readonly Column<{ readonly reason: WhyReason; readonly holder: string }>[] = [
  { title: 'reason', of: ({ reason }) => reason.code },
  { title: 'scope', of: ({ reason }) => reason.details.scope },
  { title: 'held by', of: ({ holder }) => holder },
]

export const showWhy = defineCommand({
  name: 'why',
  summary: 'explain why a job does not start, with a fix for each reason',
  description:
    'A blocking reason is a condition of the claim itself. If no reason is blocking, the command shows the position ' +
    'of the job and its estimated start.',
  arguments: [{ name: 'ID' }],
  options: {},
  examples: [{ line: 'queue why ID', description: 'The reasons, or the position and estimated start' }],
  async run({ args: [id = ''], connect, print }) {
    const why = await readWhy(await connect(), id)
    if (print.isJson) return print.json(why)
    if (why.reasons.length > 0) await print.table(why.reasons, reasonColumns)
    const holders = why.reasons.flatMap((reason) =>
      (reason.details.held_by ?? []).map((holder) => ({ reason, holder })),
    )
    if (holders.length > 0) await print.table(holders, holderColumns)
    if (why.start !== null) await print.detail({ ...why.start })
  },
})

import { inspect } from 'node:util'
import { expect, test } from '@jest/globals'
import { defineJob, upgradeFrom } from '@queue/core'
import { handle, handleBatch } from '@queue/executor'
import { eventually } from '@queue/test-database'
import { z } from 'zod'
import { useWorld } from './support/world.ts'

const world = useWorld()

/** Everything that the worker has stored of attempts, except payloads, and everything that it has logged. */
async function outputs(): Promise<string> {
  const { rows } = await world.database.pool.query<{ text: string }>(`
    SELECT concat_ws(' ', last_error, progress_message, result) AS text FROM queue.all_jobs
    UNION ALL SELECT concat_ws(' ', last_error, execution_history) FROM queue.dead_letter_jobs
    UNION ALL SELECT e::text FROM queue.job_executions AS e
    UNION ALL SELECT l::text FROM queue.job_logs AS l
    UNION ALL SELECT e::text FROM queue.job_errors AS e`)
  return [
    ...rows.map(({ text }) => text),
    inspect(world.logger.lines, { depth: 20, maxStringLength: null }),
  ].join('\n')
}

const person = z.object({ email: z.string().trim().toLowerCase(), note: z.string().optional() })
const first = z.object({ name: z.string() })
const mail = defineJob({
  kind: 'mail',
  version: 2,
  payload: person,
  sensitive: ['/email', '/note'],
  maxAttempts: 1,
  upgrade: {
    1: upgradeFrom(first, ({ name }) => ({ email: `${name.split(' ').join('.')}@example.com` })),
  },
})
const together = defineJob({
  kind: 'together',
  queue: 'batch',
  payload: person,
  sensitive: ['/email'],
  maxAttempts: 1,
})

test('errors, logs and progress in the database and the log have no sensitive value, those of a batch neither', async () => {
  const logs = handle(mail, (job, ctx) => {
    const { email } = job.payload
    ctx.progress(10, `mailing ${email}`)
    ctx.log('info', `to ${email}`, { to: [email] })
    ctx.logger.info(`writing to ${email}`, { email })
    job.payload.note = 'noted by the handler'
    throw new Error(`no mailbox ${email}: ${job.payload.note}`, {
      cause: { [email]: JSON.stringify({ email }) },
    })
  })
  const refuses = handleBatch(together, { size: 2, waitMs: 30_000 }, (jobs) => {
    throw new Error(`refused ${jobs.map(({ payload }) => payload.email).join(', ')}`)
  })
  const queues = { default: { concurrency: 2 }, batch: { concurrency: 2 } }
  await world.create({ handlers: [logs, refuses] }, { queues }).start()
  const older = mail as unknown as { create: (payload: object) => ReturnType<typeof mail.create> }
  const enqueued = await world.database.queue.enqueueMany([
    mail.create({ email: '  Ada.Secret@Example.COM ' }),
    older.create({ name: 'Grace Hopper' }),
    together.create({ email: 'bob@example.org' }),
    together.create({ email: 'eve@example.net' }),
  ])
  for (const { job } of enqueued) await world.reached(job.id, 'failed_permanent')
  await eventually(() => world.logger.lines.filter(({ message }) => message === 'job failed').length === 4)
  const text = await outputs()
  expect(text).toContain('no mailbox ***: ***')
  expect(text).toContain('refused ***, ***')
  expect(text).toContain('mailing ***')
  expect(text).toContain('writing to ***')
  expect(text).not.toMatch(/ada\.secret|grace|hopper|noted by|@example/i)
})

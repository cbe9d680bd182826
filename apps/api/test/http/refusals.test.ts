import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { createQueue } from '@queue/core'
import { databaseOf } from '@queue/core/internal'
import { createReadiness } from '@queue/service'
import { insertJob } from '@queue/testing'
import { unservedLinesPerMinuteMax } from '../../src/http/limits.ts'
import { email } from '../support/requests.ts'
import { type DatabaseApi, startApi, startDatabaseApi } from '../support/start-api.ts'

let api: DatabaseApi

beforeAll(async () => {
  api = await startDatabaseApi()
})

afterEach(() => api.database.pool.query('DROP FUNCTION IF EXISTS queue.refuse CASCADE'))

afterAll(() => api.close())

/** From now on the owner's trigger refuses every such write. */
async function refuse(write: 'UPDATE' | 'DELETE', table: string): Promise<void> {
  await api.database.pool.query(`
    CREATE FUNCTION queue.refuse() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE 'secret %', OLD; END$$;
    CREATE TRIGGER refuse BEFORE ${write} ON queue.${table} FOR EACH ROW EXECUTE FUNCTION queue.refuse()`)
}

async function deadLetterIdOf(jobId: string): Promise<string> {
  const { rows } = await api.database.pool.query<{ id: string }>(
    'SELECT id FROM queue.dead_letter_jobs WHERE job_id = $1',
    [jobId],
  )
  return rows[0]?.id ?? ''
}

async function statusOf(jobId: string): Promise<string | undefined> {
  return (await api.queue.get(jobId))?.status
}

describe('what a trigger of the owner refuses is a 409 that tells the SQLSTATE and no more, and changes nothing:', () => {
  const refused = {
    status: 409,
    body: { error: 'refused', detail: 'the database refuses this change (SQLSTATE P0001)' },
  }

  test.each(['queued', 'running'] as const)('the cancel of a %s job', async (status) => {
    const { id } = await insertJob(
      api.database,
      status === 'running' ? { status, lockedBy: 'w' } : { status },
    )
    await refuse('UPDATE', 'jobs')
    const answer = await api.post(`/jobs/${id}/cancel`)
    expect(answer).toMatchObject(refused)
    expect(answer.text).not.toContain('secret')
    expect(await statusOf(id)).toBe(status)
  })

  test('a requeue, by the job, by its dead letter, and with others', async () => {
    const { id } = await insertJob(api.database, { status: 'failed_permanent' })
    const deadLetter = await deadLetterIdOf(id)
    await refuse('UPDATE', 'jobs')
    expect(await api.post(`/jobs/${id}/requeue`)).toMatchObject(refused)
    expect(await api.post(`/dead-letters/${deadLetter}/requeue`)).toMatchObject(refused)
    expect(await api.post('/dead-letters/requeue', { all: true })).toMatchObject(refused)
    expect(await statusOf(id)).toBe('failed_permanent')
    expect(await deadLetterIdOf(id)).toBe(deadLetter)
  })

  test('the removal of a dead letter', async () => {
    const { id } = await insertJob(api.database, { status: 'failed_permanent' })
    await refuse('DELETE', 'dead_letter_jobs')
    expect(await api.fetch(`/dead-letters/${await deadLetterIdOf(id)}`, { method: 'DELETE' })).toMatchObject(
      refused,
    )
  })

  test('a pause and a resume', async () => {
    await api.database.pool.query(`INSERT INTO queue.queues (name) VALUES ('default') ON CONFLICT DO NOTHING`)
    await refuse('UPDATE', 'queues')
    expect(await api.post('/queues/default/pause')).toMatchObject(refused)
    expect(await api.post('/queues/default/resume')).toMatchObject(refused)
  })
})

test('a user whom the database lets in no longer is an outage: 503, until somebody puts it right, and few lines of the log', async () => {
  const role = `locked_out_${process.pid}`
  await api.database.pool.query(`CREATE ROLE ${role} NOLOGIN`)
  const url = new URL(api.database.url)
  url.username = role
  const queue = createQueue({ connectionString: url.href })
  const other = await startApi({ queue, readiness: createReadiness({ database: databaseOf(queue) }) })
  try {
    const answer = await other.post('/jobs', email)
    expect(answer).toMatchObject({ status: 503, body: { error: 'database_unavailable' } })
    expect(answer.headers.get('retry-after')).toBe('1')
    expect((await other.fetch('/readyz')).body).toMatchObject({ checks: { database: 'down' } })
    for (let n = 0; n < 2 * unservedLinesPerMinuteMax; n += 1) await other.post('/jobs', email)
    expect(other.log.filter(({ level }) => level === 'warn')).toHaveLength(unservedLinesPerMinuteMax)
  } finally {
    await other.close()
    await queue.close()
    await api.database.pool.query(`DROP ROLE ${role}`)
  }
})

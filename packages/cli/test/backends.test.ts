import { setTimeout } from 'node:timers/promises'
import { createKey, mintKey } from '@queue/admin'
import type { JobOptions } from '@queue/core'
import { carryOutOperation, databaseOf } from '@queue/core/internal'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { addUpStats, insertJob, insertWorker } from '@queue/test-database'
import { program } from '../src/program.ts'
import { createWorld, type Ran, type RunOptions, type BackendName, type World } from './support/world.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
  await world.database.pool.query(
    `INSERT INTO ${world.database.schema}.queues (name) VALUES ('mail'), ('other')`,
  )
  await insertWorker(world.database, { id: 'worker-1', queues: ['mail', 'other'], kinds: ['send_email'] })
})
afterAll(() => world.close())

type Ids = Readonly<Record<string, string>>

interface Case {
  readonly argv: string
  /** Makes what the command works on, anew for each backend; its ids stand in `argv` by their names. */
  readonly prepare?: () => Promise<Ids>
  readonly options?: RunOptions
  readonly code?: number
  /** What standard output or standard error holds. */
  readonly shows: string | RegExp
}

const payload = `{"text":"Ümläute—語"}`
const cause = '0123456789abcdef'
const nobody = '01980d3c-7a1e-7c3a-9f52-3b1f6c0de001'
const early = '2026-01-15T09:30:00.000Z'

const job = (overrides: Parameters<typeof insertJob>[1]) => async (): Promise<Ids> => ({
  ID: (await insertJob(world.database, { queue: 'mail', kind: 'send_email', ...overrides })).id,
})

const deadLetter =
  (overrides: Parameters<typeof insertJob>[1] = {}) =>
  async (): Promise<Ids> => {
    const failed = await insertJob(world.database, {
      status: 'failed_permanent',
      queue: 'mail',
      kind: 'send_email',
      ...overrides,
    })
    const { deadLetters } = await world.database.queue.deadLetters.list({ limit: 200 })
    return { ID: failed.id, DEAD: deadLetters.find(({ jobId }) => jobId === failed.id)?.id ?? '' }
  }

/** A job that has succeeded, and has logged two lines. */
const logged = async (): Promise<Ids> => {
  const { ID = '' } = await job({ status: 'succeeded' })()
  await world.database.pool.query(
    `INSERT INTO ${world.database.schema}.job_logs (job_id, lease_token, line, attempt, at, level, message, fields)
     VALUES ($1, 1, 1, 1, now(), 'info', 'began', NULL), ($1, 1, 2, 1, now(), 'warn', 'slow', '{"someName":1}')`,
    [ID],
  )
  return { ID }
}

/** Three failures of one cause. */
const failure = async (): Promise<Ids> => {
  await world.database.pool.query(
    `WITH e AS (
       INSERT INTO ${world.database.schema}.job_errors (tenant_id, queue, fingerprint, kind, error_class, count,
              first_seen_at, last_seen_at, first_version, worker_versions, sampled_at, sample_job_id, sample_error)
       VALUES ('acme', 'broken', '0123456789abcdef', 'send_email', 'Error ENOENT', 3, now(), now(), '1.2.3', '{1.2.3}', now(),
               gen_random_uuid(), E'Error: no such file\n    at send (mail.ts:1:1)')
       ON CONFLICT DO NOTHING RETURNING id, tenant_id)
     INSERT INTO ${world.database.schema}.job_error_days (error_id, day, version, tenant_id, count, hours)
     SELECT id, date_trunc('day', now(), 'UTC'), '1.2.3', tenant_id, 3, 3 || array_fill(0, ARRAY[23]) FROM e`,
  )
  return {}
}

/** A job that waits for another attempt after a failure of a cause. */
const failedBy = async (): Promise<Ids> => {
  const fingerprint = crypto.randomUUID().replaceAll('-', '').slice(0, 16)
  const { ID = '' } = await job({ status: 'retrying' })()
  await world.database.pool.query(
    `UPDATE ${world.database.schema}.job_executions SET fingerprint = $2 WHERE job_id = $1`,
    [ID, fingerprint],
  )
  return { ID, CAUSES: `${fingerprint},${cause}` }
}

/** What has happened to three jobs an hour of years ago. */
const counted = async (): Promise<Ids> => {
  await world.database.pool.query(
    `INSERT INTO ${world.database.schema}.job_stats (period, at, queue, kind, tenant_id, enqueued, started, succeeded, failed,
            wait_buckets, run_buckets)
     VALUES ('hour', date_trunc('hour', now() - interval '3 days', 'UTC'), 'counted', 'send_email', '', 3, 3, 2, 1, '{"50": 3}',
            '{"100": 3}')
     ON CONFLICT DO NOTHING`,
  )
  await addUpStats(world.database)
  return {}
}

/** A unique key that a job of the same kind holds. */
const heldKey = async (unique: Omit<NonNullable<JobOptions['unique']>, 'key'>): Promise<Ids> => {
  const key = crypto.randomUUID()
  const { builtInJobs } = await import('@queue/core')
  const options = { delayMs: 600_000, unique: { ...unique, key } }
  await world.database.queue.enqueue(builtInJobs[2], { text: 'another' }, options)
  return { KEY: key }
}

const made = new Set<string>()
/** A dead letter that is there for both backends. */
const oneOf = (name: string, overrides: Parameters<typeof insertJob>[1]) => async (): Promise<Ids> => {
  if (!made.has(name)) await deadLetter(overrides)()
  made.add(name)
  return {}
}

/** A job in a queue that no worker serves, there for both backends. */
const forgotten = async (): Promise<Ids> => {
  const runAt = new Date(1_700_000_000_000)
  if (!made.has('forgotten'))
    await insertJob(world.database, { queue: 'forgotten', kind: 'send_email', runAt })
  made.add('forgotten')
  return {}
}

/** A limit that each backend can delete. */
const limit = async (): Promise<Ids> => {
  await world.database.queue.limits.set({ queue: 'other', scope: 'queue', maxRunning: 1 })
  return {}
}

let listed = 0
/** Five jobs in a queue of their own. */
const fiveJobs = async (): Promise<Ids> => {
  const queue = `listed-${(listed += 1)}`
  for (const status of ['queued', 'running', 'succeeded', 'retrying', 'cancelled'] as const) {
    await insertJob(world.database, { queue, status, kind: 'send_email', tenantId: 'acme' })
  }
  return { QUEUE: queue }
}

/** A queue in which one job with a key waits. */
const keyedJob = async (): Promise<Ids> => {
  const queue = `keyed-${(listed += 1)}`
  await insertJob(world.database, { queue, key: 'customer-42', kind: 'send_email' })
  return { QUEUE: queue }
}

const operation = async (): Promise<Ids> => {
  const result = await world.database.queue.many.delete({ queue: 'none' })
  return { OPERATION: result.outcome === 'operation' ? result.operation.id : '' }
}

const endedOperation = async (): Promise<Ids> => {
  const ids = await operation()
  await world.database.queue.many.cancelOperation(ids['OPERATION'] ?? '')
  return ids
}

const key = async (): Promise<Ids> => {
  const minted = mintKey()
  await createKey(databaseOf(world.database.queue), minted, { name: 'shop', role: 'enqueue' })
  return { KEY: minted.id }
}

/** Schedules that are there for both backends. */
const schedule =
  (...names: readonly string[]) =>
  async (): Promise<Ids> => {
    const { builtInJobs } = await import('@queue/core')
    const { schedules } = world.database.queue
    for (const name of names) {
      if ((await schedules.get(name)) !== undefined) continue
      const work = { definition: builtInJobs[2], payload: { text: 'A long story.' } }
      await schedules.create({ ...work, name, everyMs: 3_600_000 })
    }
    return {}
  }

/** The command makes it, for each backend anew. */
const noSchedule = async (): Promise<Ids> => {
  await world.database.pool.query(
    `DELETE FROM ${world.database.schema}.schedules WHERE name IN ('made', 'synced')`,
  )
  return { NAME: 'made', BERLIN: '30 2 * * 0' }
}

function syncOf(name: string, revision: number, over: object = {}): string {
  const one = { name, kind: 'summarize_text', payload: { text: 'A long story.' }, every_ms: 3_600_000 }
  return JSON.stringify({ source: 'app', revision, prune: true, schedules: [{ ...one, ...over }] })
}

/** Registers a kind anew for each backend, the one before retired or not. */
const kindsOf = (...kinds: readonly object[]): string => JSON.stringify({ kinds })
const pushed = {
  kind: 'pushed',
  payload_schema: { type: 'object' },
  description: 'By a file.',
  sensitive: [],
}
const noKind = async (): Promise<Ids> => {
  await world.database.pool.query(`DELETE FROM ${world.database.schema}.job_kinds`)
  return {}
}
const oneKind = async (): Promise<Ids> => {
  await noKind()
  await world.run('database', ['kinds', 'push', '-'], { input: kindsOf(pushed) })
  return {}
}

const cases: readonly Case[] = [
  { argv: `enqueue summarize_text --payload ${payload}`, shows: /kind +summarize_text/ },
  {
    argv: `enqueue summarize_text --payload-file - --queue mail --priority 1 --delay 1h --max-attempts 7 --timeout 90s --tenant acme --retry-policy {"type":"exponential","jitter":"full","base_ms":1000,"cap_ms":5000} --run-at-is-not-given --json`.replace(
      ' --run-at-is-not-given',
      '',
    ),
    options: { input: payload },
    shows: '"timeout_ms":90000',
  },
  {
    argv: `enqueue summarize_text --payload ${payload} --run-at 2031-01-01 --json`,
    shows: '2031-01-01T00:00:00.000Z',
  },
  {
    argv: `enqueue summarize_text --payload ${payload} --idempotency-key KEY --json`,
    prepare: async () => {
      const idempotencyKey = crypto.randomUUID()
      const { builtInJobs } = await import('@queue/core')
      await world.database.queue.enqueue(builtInJobs[2], { text: 'another' }, { idempotencyKey })
      return { KEY: idempotencyKey }
    },
    shows: '"replayed":true,"mismatch":true',
  },
  {
    argv: `enqueue summarize_text --payload ${payload} --idempotency-key KEY --strict`,
    prepare: async () => {
      const idempotencyKey = crypto.randomUUID()
      const { builtInJobs } = await import('@queue/core')
      await world.database.queue.enqueue(builtInJobs[2], { text: 'another' }, { idempotencyKey })
      return { KEY: idempotencyKey }
    },
    code: 5,
    shows: 'use one key for one piece of work',
  },
  {
    argv: `enqueue summarize_text --payload ${payload} --metadata {"order_id":4711} --expires-in 10m --weight 5 --json`,
    shows: '"metadata":{"order_id":4711}',
  },
  {
    argv: `enqueue summarize_text --payload ${payload} --metadata {"order":{}} --expires-at 2031-01-01`,
    code: 2,
    shows: 'must be a text, a finite number or a boolean',
  },
  {
    argv: `enqueue summarize_text --payload ${payload} --unique-key KEY --unique-scope waiting --on-conflict reschedule --unique-max-wait 1h --delay 30s --json`,
    prepare: () => heldKey({ scope: 'waiting' }),
    shows: '"conflict":"rescheduled"',
  },
  {
    argv: `enqueue summarize_text --payload ${payload} --unique-key KEY --unique-scope window --unique-window 1h`,
    prepare: () => heldKey({ scope: 'live' }),
    shows: 'another job holds the unique key: it was returned',
  },
  {
    argv: `enqueue summarize_text --payload ${payload} --unique-key KEY --unique-scope live --on-conflict refuse`,
    prepare: () => heldKey({ scope: 'window', windowMs: 3_600_000 }),
    code: 5,
    shows: 'wait for the job that holds the key',
  },
  {
    argv: `enqueue summarize_text --payload ${payload} --unique-key k --unique-scope live --unique-window 1h`,
    code: 2,
    shows: /unique.window/,
  },
  { argv: `enqueue no_such_kind --payload {}`, code: 2, shows: 'is not a known kind' },
  { argv: `enqueue summarize_text --payload {"text":1}`, code: 2, shows: '/payload/text' },
  { argv: `enqueue summarize_text --payload {"text":1} --json`, code: 2, shows: '"path":"/payload/text"' },
  {
    argv: `enqueue summarize_text --payload ${payload} --queue BAD --timeout 0s`,
    code: 2,
    shows: /2 errors:\n {2}--queue: .*\n {2}--timeout: /,
  },
  {
    argv: `enqueue summarize_text --payload ${payload} --run-at 2031-01-01 --delay 1s`,
    code: 2,
    shows: '--run-at and --delay cannot be combined',
  },
  { argv: `enqueue summarize_text --payload {"text":9007199254740993}`, code: 2, shows: '9007199254740993' },
  {
    argv: 'get ID',
    prepare: job({ status: 'failed_permanent', attempts: 2 }),
    shows: /OUTCOME[\s\S]*failed/,
  },
  {
    argv: 'get ID --json',
    prepare: job({ status: 'succeeded', result: { someName: 1 } }),
    shows: '{"someName":1}',
  },
  { argv: `get ${nobody}`, code: 4, shows: 'there is no job with this id' },
  { argv: 'list --queue QUEUE', prepare: fiveJobs, shows: /STATUS[\s\S]*retrying/ },
  { argv: 'list --metadata {}', code: 2, shows: 'names no member' },
  { argv: 'list --fingerprint zz', code: 2, shows: '--fingerprint: must be' },
  { argv: 'cancel --queue BAD', code: 2, shows: '--queue: must match' },
  {
    argv: 'requeue --queue BAD --fingerprint zz',
    code: 2,
    shows: /(?=.*--queue: must match)(?=.*--fingerprint: must be)/s,
  },
  { argv: `enqueue summarize_text --payload {"text":{"__proto__":1}}`, code: 2, shows: '__proto__' },
  {
    argv: `enqueue summarize_text --payload ${payload} --run-at 0000-01-01`,
    code: 2,
    shows: 'is not in the years 1970 to 9999',
  },
  { argv: 'list --queue QUEUE --json --limit 2', prepare: fiveJobs, shows: /"next_cursor":"[\w-]+"/ },
  {
    argv: 'list --queue QUEUE --limit 2',
    prepare: fiveJobs,
    shows: 'there are more: continue with --cursor ',
  },
  {
    argv: 'list --queue QUEUE --status running --kind send_email --tenant acme --created-after 2001-02-03 --created-before 2101-02-03T04:05:06+07:00 --json',
    prepare: fiveJobs,
    shows: '"status":"running"',
  },
  {
    argv: 'list --metadata FILTER --json',
    prepare: async () => {
      const order = crypto.randomUUID()
      await insertJob(world.database, { metadata: { order_id: order } })
      return { FILTER: JSON.stringify({ order_id: order }) }
    },
    shows: '"metadata":{"order_id":',
  },
  { argv: 'list --metadata 4711', code: 2, shows: '--metadata must be a JSON object' },
  { argv: 'list --kind BAD', code: 2, shows: '--kind: must match' },
  { argv: 'list --cursor nonsense', code: 2, shows: 'use a cursor only with the list' },
  { argv: 'follow ID', prepare: job({ status: 'succeeded' }), shows: /succeeded {2}attempt 1 of 3/ },
  { argv: 'follow ID --json', prepare: job({ status: 'cancelled' }), code: 9, shows: '"event":"state"' },
  { argv: `follow ${nobody}`, code: 4, shows: 'there is no job with this id' },
  {
    argv: 'logs ID',
    prepare: logged,
    shows: /^\S+ {2}1 {2}info {2}began\n\S+ {2}1 {2}warn {2}slow {2}\{"someName":1\}\n$/,
  },
  { argv: 'logs ID --level warn --json', prepare: logged, shows: '"message":"slow"' },
  { argv: 'logs ID --limit 1', prepare: logged, shows: 'there are more: continue with --cursor ' },
  { argv: 'logs ID --follow', prepare: logged, shows: 'slow' },
  { argv: 'logs ID --follow --json --level warn', prepare: logged, shows: /^\{"job_id".*"line":2.*\}\n$/ },
  {
    argv: 'logs ID --cursor nonsense',
    prepare: logged,
    code: 2,
    shows: 'use a cursor only with the list',
  },
  { argv: `logs ${nobody}`, code: 4, shows: 'there is no job with this id' },
  { argv: `logs ${nobody} --follow`, code: 4, shows: 'there is no job with this id' },
  {
    argv: 'errors --queue broken',
    prepare: failure,
    shows: /FINGERPRINT[\s\S]*0123456789abcdef +3 .*1\.2\.3 +Error: no such file\n/,
  },
  {
    argv: 'errors --queue broken --from 2020-01-01T00:00:00Z --sort count --json',
    prepare: failure,
    shows: /"in_range":\{"count":3,"share":null,"trend":\[[0,]*3,?0?\],"versions":\[\]\}/,
  },
  {
    argv: 'errors --fingerprint 0123456789abcdef --kind send_email --tenant acme --json',
    prepare: failure,
    shows: '"count":3,',
  },
  {
    argv: `errors --fingerprint ${cause},${'f'.repeat(16)} --queue broken --json`,
    prepare: failure,
    shows: '"count":3,',
  },
  {
    argv: 'list --fingerprint CAUSES --json',
    prepare: failedBy,
    shows: /^[^\n]*"kind":"send_email"[^\n]*\n$/,
  },
  {
    argv: `list --fingerprint ${cause},`,
    code: 2,
    shows: 'must be 16 hexadecimal digits',
  },
  { argv: 'cancel --fingerprint CAUSES', prepare: failedBy, shows: '1 cancelled' },
  {
    argv: `dead-letters requeue --fingerprint ${cause},${'f'.repeat(16)} --dry-run`,
    shows: '0 would be requeued',
  },
  { argv: 'states ID', prepare: job({ status: 'running' }), shows: /STATUS .*\n\S+ +running +1\/3/ },
  { argv: 'states ID --json', prepare: job({ status: 'cancelled' }), shows: '"status":"cancelled"' },
  {
    argv: 'expected-start ID --json',
    // A queue for each backend: another job would come before it.
    prepare: () => job({ queue: `unserved-${(listed += 1)}` })(),
    shows: '"place":0,"starts_per_minute":null,"expected_at":null,"unknown":"no_worker"',
  },
  { argv: 'expected-start ID', prepare: job({ status: 'succeeded' }), shows: /unknown +not_waiting/ },
  { argv: `expected-start ${nobody}`, code: 4, shows: 'there is no job with this id' },
  {
    argv: 'why ID --json',
    prepare: job({ queue: 'served-by-nobody' }),
    shows: /"claimable":false,"reasons":\[\{"code":"queue_unknown","blocking":true,.*"code":"no_worker"/,
  },
  { argv: 'why ID', prepare: job({ status: 'succeeded' }), shows: /succeeded +yes .*The job succeeded\./ },
  { argv: `why ${nobody}`, code: 4, shows: 'there is no job with this id' },
  {
    argv: 'attention',
    prepare: forgotten,
    shows: /critical +queue_unserved +forgotten +1 .*start a worker that serves this queue/,
  },
  {
    argv: 'attention --json',
    prepare: forgotten,
    shows: '"queue":"forgotten"',
  },
  {
    argv: 'stats --queue counted --step day',
    prepare: counted,
    shows: /TIME .*RUN P95 MS\n[\s\S]* 3 +3 +2 +1 +0 +0 +1\.119 +131\.4\n[\s\S]*total +3 +3 +2 +1 /,
  },
  {
    argv: 'stats --kind send_email --tenant nobody --from 2026-01-15 --to 2026-01-16 --step hour --json',
    prepare: counted,
    shows: '"started":0,',
  },
  {
    argv: 'stats --queue counted --step day --by series',
    prepare: counted,
    shows: /counted\/send_email +3 +3 +2 +1 [\s\S]*total +3 +3 +2 +1 /,
  },
  { argv: 'stats --step week', code: 2, shows: 'is not one of minute, hour, day' },
  { argv: 'errors --cursor nonsense', code: 2, shows: 'use a cursor only with the list' },
  { argv: 'wait ID', prepare: job({ status: 'succeeded' }), shows: 'succeeded' },
  {
    argv: 'wait ID --json',
    prepare: job({ status: 'failed_permanent' }),
    code: 9,
    shows: 'failed_permanent',
  },
  { argv: 'wait ID --timeout 1s', prepare: job({}), code: 8, shows: 'its last known status is queued' },
  { argv: `wait ${nobody}`, code: 4, shows: 'there is no job with this id' },
  { argv: 'cancel ID', prepare: job({}), shows: 'cancelled' },
  { argv: 'cancel ID --json', prepare: job({ status: 'running' }), shows: '"cancel_requested":true' },
  {
    argv: 'cancel ID',
    prepare: job({ status: 'succeeded' }),
    code: 5,
    shows: 'is succeeded and cannot be cancelled',
  },
  {
    argv: `cancel ${nobody} ID no-id`,
    prepare: job({}),
    code: 4,
    shows: /cancelled[\s\S]*there is no job "no-id"/,
  },
  { argv: 'cancel', code: 2, shows: 'give ids, or a filter, or --all' },
  {
    argv: 'cancel --queue QUEUE --dry-run',
    prepare: fiveJobs,
    shows: /^3 would be cancelled\n {2}[0-9a-f-]{36}/,
  },
  { argv: 'cancel --queue QUEUE --status queued', prepare: fiveJobs, shows: '1 cancelled' },
  { argv: 'requeue --queue QUEUE --json', prepare: fiveJobs, shows: '"count":1' },
  {
    argv: 'reschedule --queue QUEUE --run-at 2031-01-01',
    prepare: fiveJobs,
    shows: '2 rescheduled',
  },
  {
    argv: 'undo-reschedule -',
    options: { input: `{"previous":[{"id":"${nobody}","run_at":"${early}","changed_at":"${early}"}]}` },
    shows: /^0 restored\n1 skipped: they no longer matched/,
  },
  {
    argv: 'undo-reschedule -',
    options: { input: `{"previous":[{"id":"${nobody}","run_at":"soon","changed_at":"${early}"}]}` },
    code: 2,
    shows: 'the file has no previous starts',
  },
  { argv: 'undo-reschedule -', options: { input: '{}' }, code: 2, shows: 'the file has no previous starts' },
  {
    argv: 'undo-reschedule -',
    options: { input: '{"previous":[],"operation":null}' },
    code: 2,
    shows: 'cannot be undone: cancel the operation',
  },
  {
    argv: 'undo-cancel -',
    options: { input: `{"cancelled":[{"id":"${nobody}","status":"queued","changed_at":"${early}"}]}` },
    shows: /^0 restored\n1 skipped: they no longer matched/,
  },
  {
    argv: 'undo-cancel -',
    options: { input: `{"cancelled":[{"id":"${nobody}","status":"running","changed_at":"${early}"}]}` },
    code: 2,
    shows: 'the file has no cancelled jobs',
  },
  {
    argv: 'undo-requeue -',
    options: { input: `{"requeued":[{"id":"${nobody}","changed_at":"${early}"}]}` },
    shows: /^0 restored\n1 skipped: they no longer matched/,
  },
  {
    argv: 'undo-requeue -',
    options: { input: `{"requeued":[{"id":"${nobody}"}]}` },
    code: 2,
    shows: 'the file has no requeued jobs',
  },
  {
    argv: 'undo-cancel -',
    options: {
      input: `{"data":[{"id":"${nobody}","status":"running","attempts":1,"updated_at":"${early}"}]}`,
    },
    code: 2,
    shows: 'nor can the cancel of a running job',
  },
  {
    argv: 'undo-cancel -',
    options: {
      input: `{"data":[{"id":"${nobody}","status":"cancelled","attempts":0,"updated_at":"${early}"}],"next_cursor":null}`,
    },
    code: 2,
    shows: 'the file has no cancelled jobs',
  },
  { argv: 'delete --queue QUEUE --dry-run --json', prepare: fiveJobs, shows: '"count":4' },
  { argv: 'delete --queue QUEUE --detach', prepare: fiveJobs, shows: 'workers run this as an operation' },
  { argv: 'erase --tenant none --detach', shows: 'workers run this as an operation' },
  { argv: 'queues purge mail --dry-run --json', shows: '"dry_run":true' },
  { argv: 'run-now ID', prepare: job({}), shows: 'queued' },
  { argv: 'run-now ID', prepare: job({ status: 'running' }), code: 5, shows: 'only a waiting job can be' },
  { argv: 'duplicate ID', prepare: job({ status: 'succeeded' }), shows: 'queued' },
  { argv: 'edit ID --priority 0 --timeout 5s --json', prepare: job({}), shows: '"previous":{' },
  { argv: 'edit ID --priority 0', prepare: job({}), shows: 'before: {"priority":4}' },
  { argv: 'edit ID --weight 5', prepare: job({}), shows: 'before: {"weight":1}' },
  { argv: 'edit ID --priority 0', prepare: job({ status: 'running' }), code: 5, shows: 'is running' },
  { argv: 'operations list --limit 1', prepare: operation, shows: /ACT[\s\S]*delete/ },
  { argv: 'operations get OPERATION --json', prepare: operation, shows: '"act":"delete"' },
  { argv: 'operations cancel OPERATION', prepare: operation, shows: 'cancelled' },
  {
    argv: 'operations follow OPERATION',
    prepare: endedOperation,
    code: 5,
    shows: 'the operation was cancelled',
  },
  { argv: `operations get ${nobody}`, code: 4, shows: 'there is no operation with this id' },
  { argv: 'requeue ID', prepare: job({ status: 'cancelled' }), shows: 'queued' },
  {
    argv: 'requeue ID',
    prepare: job({ status: 'cancelled', expiresAt: { msFromNow: -1_000 } }),
    code: 2,
    shows: 'the expiry of the job is past: give a later one',
  },
  {
    argv: 'requeue ID --expires-in 10m',
    prepare: job({ status: 'cancelled', expiresAt: { msFromNow: -1_000 } }),
    shows: 'queued',
  },
  { argv: 'requeue ID', prepare: job({}), code: 5, shows: 'is queued and cannot be requeued' },
  {
    argv: 'dead-letters list --kind send_email --limit 1',
    prepare: deadLetter(),
    shows: 'the attempt failed',
  },
  { argv: 'dead-letters list --limit 1 --json', prepare: deadLetter(), shows: '"execution_history":[' },
  { argv: 'dead-letters list --dead-lettered-after 2101-01-01', shows: 'DEAD-LETTERED' },
  { argv: 'dead-letters get DEAD', prepare: deadLetter(), shows: /job_id[\s\S]*OUTCOME/ },
  { argv: 'dead-letters get DEAD --json', prepare: deadLetter(), shows: '"execution_history":[' },
  { argv: `dead-letters get ${nobody}`, code: 4, shows: 'there is no dead letter with this id' },
  { argv: 'dead-letters requeue DEAD', prepare: deadLetter(), shows: 'queued' },
  {
    argv: 'dead-letters requeue --tenant one --dry-run',
    prepare: oneOf('tenant-one', { tenantId: 'one' }),
    shows: '1 would be requeued',
  },
  {
    argv: 'dead-letters requeue --queue again',
    prepare: deadLetter({ queue: 'again' }),
    shows: /^1 requeued/,
  },
  { argv: 'dead-letters requeue --queue none --json', shows: '{"count":0,' },
  { argv: 'dead-letters requeue', code: 2, shows: 'give a filter, an id, or --all' },
  { argv: 'dead-letters delete DEAD', prepare: deadLetter(), shows: 'is deleted' },
  { argv: `dead-letters delete ${nobody}`, code: 4, shows: 'queue dead-letters list shows' },
  { argv: 'queues list', shows: /NAME[\s\S]*mail/ },
  { argv: 'queues stats other --json', shows: '"workers":1' },
  { argv: 'queues stats other', shows: /paused_at +-/ },
  { argv: 'queues stats nowhere', code: 4, shows: 'there is no queue "nowhere"' },
  { argv: 'queues keys QUEUE', prepare: keyedJob, shows: /customer-42 .*open +1/ },
  { argv: 'queues keys nowhere --json', shows: '{"data":[],"is_complete":true}' },
  { argv: 'queues pause other', shows: /^other is paused since / },
  { argv: 'queues resume other --json', shows: '{"name":"other","paused_at":null}' },
  { argv: 'queues pause nowhere', code: 4, shows: 'queue queues list shows' },
  { argv: 'queues resume nowhere other', code: 4, shows: /^other is open\nqueue: nowhere: no worker has/ },
  {
    argv: 'queues resume nowhere other --json',
    code: 4,
    shows: /^\{"name":"other".*\}\n\{"argument":"nowhere","error":"queue_not_found","detail":.*\}\n$/,
  },
  {
    argv: `cancel --metadata {}`,
    code: 2,
    shows: 'names no member',
  },
  {
    argv: 'schedules delete nobody gone-three',
    prepare: schedule('gone-three'),
    code: 4,
    shows: /^gone-three is deleted\nqueue: nobody: /,
  },
  {
    argv: 'schedules pause nobody still-two',
    prepare: schedule('still-two'),
    code: 4,
    shows: /^still-two is paused\nqueue: nobody: /,
  },
  {
    argv: `dead-letters delete ${nobody} DEAD`,
    prepare: deadLetter(),
    code: 4,
    shows: / is deleted\nqueue: /,
  },
  { argv: 'keys revoke abcdefgh KEY', prepare: key, code: 4, shows: / is revoked\nqueue: abcdefgh: / },
  { argv: 'limits set mail --each-key --max-running 5', shows: /mail +each_key .*5/ },
  {
    argv: 'limits set mail --kind send_email --rate 100 --per 1m --burst 10 --json',
    shows: '"per_ms":60000',
  },
  { argv: 'limits set mail --key acme --paused', shows: /mail +key +acme/ },
  {
    argv: 'limits set sync --each-key --ordered --on-retry continue',
    shows: /sync +each_key .*continue on retry/,
  },
  { argv: 'limits set sync --each-key --ordered --json', shows: '"ordered":{"on_retry":"block"}' },
  { argv: 'limits set mail --fair-by tenant', shows: /mail +queue .*tenant/ },
  { argv: 'limits set mail --tenant acme --weight 3', shows: /mail +tenant +acme .*3/ },
  { argv: 'limits set mail --max-waiting 100000', shows: /mail +queue .*100000/ },
  { argv: 'limits set sync --on-retry block', code: 2, shows: '--on-retry needs --ordered' },
  { argv: 'limits set mail', code: 2, shows: 'must limit something' },
  { argv: 'limits set mail --burst 2', code: 2, shows: '--per and --burst need --rate' },
  {
    argv: 'limits set mail --kind send_email --max-running 7 --paused --json',
    shows: /"max_running":7,.*"rate":\{"count":100,"per_ms":60000,"burst":10\}.*"paused_at":"20/,
  },
  {
    argv: 'limits set mail --kind send_email --remove max-running,weight --resumed --json',
    shows: /"max_running":null,.*"rate":\{"count":100,.*"paused_at":null/,
  },
  { argv: 'limits set mail --rate 2 --remove rate', code: 2, shows: 'another option sets' },
  { argv: 'limits set mail --paused --resumed', code: 2, shows: 'paused or not' },
  { argv: 'limits list --queue mail', shows: /send_email .*100 in 60000 ms, burst 10/ },
  { argv: 'limits list --json', shows: '"scope":"each_key"' },
  { argv: 'limits delete other', prepare: limit, shows: 'the limit is deleted' },
  { argv: 'limits delete nowhere --key acme', code: 4, shows: 'queue limits list shows' },
  { argv: 'workers', shows: /worker-1 +active +\d+\/1/ },
  { argv: 'workers --json', shows: '"kinds":["send_email"]' },
  { argv: 'keys list', shows: /operator +admin/ },
  { argv: 'keys list --json', shows: '"name":"operator"' },
  { argv: 'keys revoke KEY', prepare: key, shows: 'is revoked' },
  { argv: 'keys revoke abcdefgh', code: 4, shows: 'queue keys list shows' },
  { argv: 'export jobs --queue QUEUE', prepare: fiveJobs, shows: /^(?:\{"id".*\}\n){5}5 written/ },
  { argv: 'export jobs --cursor nonsense', code: 2, shows: 'use a cursor only with the list' },
  {
    argv: 'export dead-letters --queue apart',
    prepare: oneOf('apart', { queue: 'apart' }),
    shows: '"queue":"apart"',
  },
  { argv: 'schedules list --source none', shows: /NAME +KIND +RUNS/ },
  {
    argv: 'schedules list --kind summarize_text --limit 1',
    prepare: schedule('list-a', 'list-b'),
    shows: 'there are more: continue with --cursor ',
  },
  {
    argv: 'schedules list --limit 1 --json',
    prepare: schedule('list-a', 'list-b'),
    shows: '"next_cursor":"',
  },
  { argv: 'schedules get got', prepare: schedule('got'), shows: /every_ms +3600000/ },
  { argv: 'schedules get got --json', prepare: schedule('got'), shows: '"kind_version":1' },
  { argv: 'schedules get nobody', code: 4, shows: 'queue schedules list shows' },
  {
    argv: `schedules create NAME summarize_text --payload ${payload} --cron BERLIN --time-zone Europe/Berlin --starts-at 2031-01-01 --ends-at 2032-01-01 --jitter 5m --missed all --missed-window 2h --overlap skip --queue mail --priority 1 --max-attempts 7 --timeout 90s --kind-version 1 --retry-policy {"type":"fixed","base_ms":1000} --json`,
    prepare: noSchedule,
    shows: '"description":"at 02:30, only on Sunday, Europe/Berlin"',
  },
  {
    argv: `schedules create NAME summarize_text --payload-file - --every 90s`,
    prepare: noSchedule,
    options: { input: payload },
    shows: /every_ms +90000/,
  },
  {
    argv: `schedules create taken summarize_text --payload ${payload} --every 90s`,
    prepare: schedule('taken'),
    code: 5,
    shows: 'there is a schedule "taken" already',
  },
  {
    argv: `schedules create BAD summarize_text --payload ${payload} --every 1h`,
    code: 2,
    shows: '/name: must match',
  },
  {
    argv: `schedules create fine summarize_text --payload {"text":1} --every 1h`,
    code: 2,
    shows: '/payload/text',
  },
  {
    argv: `schedules create fine summarize_text --payload ${payload} --cron 99 --time-zone Mars/Base`,
    code: 2,
    shows: /2 errors:\n {2}--cron: .*accepted: five fields.*\n {2}--time-zone: /,
  },
  {
    argv: `schedules create fine no_such_kind --payload {} --every 1h`,
    code: 2,
    shows: 'is not a known kind',
  },
  { argv: 'schedules create fine summarize_text --every 1h', code: 2, shows: 'give --payload JSON or' },
  {
    argv: 'schedules update changed --every 2h --ends-at 2032-01-01 --missed skip --priority 2 --weight 3 --json',
    prepare: schedule('changed'),
    shows: '"priority":2',
  },
  {
    argv: `schedules update changed --kind summarize_text --payload ${payload} --ends-at none --missed-window none --json`,
    prepare: schedule('changed'),
    shows: '"ends_at":null',
  },
  { argv: 'schedules update changed', prepare: schedule('changed'), code: 2, shows: 'no changes are given' },
  { argv: 'schedules update nobody --every 2h', code: 4, shows: 'there is no schedule "nobody"' },
  { argv: 'schedules update nobody --priority 2', code: 4, shows: 'there is no schedule "nobody"' },
  {
    argv: 'schedules delete gone gone-too',
    prepare: schedule('gone', 'gone-too'),
    shows: 'gone is deleted\ngone-too is deleted\n',
  },
  { argv: 'schedules delete gone --json', prepare: schedule('gone'), shows: '{"deleted":"gone"}' },
  { argv: 'schedules delete nobody', code: 4, shows: 'there is no schedule "nobody"' },
  { argv: 'schedules pause still', prepare: schedule('still'), shows: 'still is paused\n' },
  { argv: 'schedules resume still --json', prepare: schedule('still'), shows: '"paused_at":null' },
  { argv: 'schedules resume still', prepare: schedule('still'), shows: /still is active, next run 2/ },
  { argv: 'schedules run-now now', prepare: schedule('now'), shows: /kind +summarize_text/ },
  {
    argv: 'schedules run-now alone --idempotency-key KEY',
    prepare: async () => {
      await schedule('alone')()
      await world.database.queue.schedules.update('alone', { overlap: 'skip' })
      await world.database.queue.schedules.runNow('alone').catch(() => undefined)
      return { KEY: crypto.randomUUID() }
    },
    code: 5,
    shows: 'has not ended',
  },
  { argv: 'schedules preview seen --json', prepare: schedule('seen'), shows: '"instants":["' },
  { argv: 'schedules preview --every 1h', shows: /^every hour\n2\d{3}-/ },
  { argv: 'schedules preview seen --every 1h', code: 2, shows: 'give its name, or --cron or --every' },
  { argv: 'schedules preview nobody', code: 4, shows: 'there is no schedule "nobody"' },
  {
    argv: 'schedules sync - --json',
    prepare: noSchedule,
    options: { input: syncOf('synced', 1) },
    shows: '"outcome":"synced"',
  },
  { argv: 'schedules sync -', options: { input: syncOf('synced', 0) }, shows: /outcome +outdated/ },
  {
    argv: 'schedules sync -',
    options: { input: syncOf('synced', 2, { every_ms: 1 }) },
    code: 2,
    shows: '/schedules/0/every_ms',
  },
  {
    argv: 'schedules sync -',
    options: { input: syncOf('synced', 2, { unique: { key: 'once', scope: 'window' } }) },
    code: 2,
    shows: '/schedules/0/unique/window_ms',
  },
  { argv: 'schedules sync -', options: { input: '[]' }, code: 2, shows: 'the file has no schedules' },
  { argv: 'schedules sync -', options: { input: '{' }, code: 2, shows: 'the file is not JSON' },
  { argv: 'kinds list', prepare: noKind, shows: /send_email +1 +built_in/ },
  { argv: 'kinds list --json', prepare: noKind, shows: '"source":"built_in"' },
  { argv: 'kinds get send_email', prepare: noKind, shows: /VERSION[\s\S]*built_in/ },
  { argv: 'kinds get send_email --json', prepare: noKind, shows: '"live_workers":' },
  { argv: 'kinds get nobody', code: 4, shows: 'queue kinds list shows' },
  {
    argv: 'kinds push -',
    prepare: noKind,
    options: { input: kindsOf(pushed, { ...pushed, version: 2 }) },
    shows: /pushed +1 +new[\s\S]*pushed +2 +new/,
  },
  {
    argv: 'kinds push - --restore --json',
    prepare: oneKind,
    options: { input: kindsOf(pushed) },
    shows: '"outcome":"unchanged"',
  },
  {
    argv: 'kinds push -',
    options: { input: kindsOf({ ...pushed, kind: 'BAD' }) },
    code: 2,
    shows: 'must match',
  },
  { argv: 'kinds push -', options: { input: '{}' }, code: 2, shows: 'the file has no kinds' },
  { argv: 'kinds push ./nothing.ts', code: 2, shows: 'the module "./nothing.ts" cannot be loaded' },
  { argv: 'kinds push @queue/postgres/errors', code: 2, shows: /cannot be loaded|exports no definition/ },
  { argv: 'kinds push nothing.json', code: 2, shows: 'the file cannot be read' },
  { argv: 'kinds retire pushed', prepare: oneKind, shows: 'pushed is retired\n' },
  { argv: 'kinds retire pushed --json', prepare: oneKind, shows: '{"retired":"pushed"}' },
  { argv: 'kinds retire nobody', code: 4, shows: 'queue kinds list shows' },
  { argv: 'completion bash', shows: 'complete -F _queue queue' },
  { argv: 'completion zsh', shows: '#compdef queue' },
  { argv: 'completion fish', shows: 'complete -c queue' },
]

async function runCase({ argv, prepare, options }: Case, backend: BackendName): Promise<Ran> {
  const ids = (await prepare?.()) ?? {}
  const words = argv.split(' ').map((word) => ids[word] ?? word)
  return world.run(backend, words, options)
}

/** What differs between two jobs that are alike: their ids and instants. Columns are as wide as their cells. */
function comparable({ code, stdout, stderr }: Ran): unknown {
  const plain = (text: string): string =>
    text
      .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'INSTANT')
      .replaceAll(/listed-\d+/g, 'QUEUE')
      .replaceAll(/--cursor [\w-]+|"next_cursor":"[\w-]+"/g, 'CURSOR')
      .replaceAll(/\b[a-z0-9]{8}(?= is revoked)/g, 'KEY')
      // An age may get one more digit between the two ways, and is aligned to the right.
      .replaceAll(/ *\d+\.\d+/g, ' SECONDS')
      // In the database there are the built-in kinds alone, and all are named; the API names the closest of its own.
      .replaceAll(/(?<=is not a known kind); (?:known|closest): .*/g, '')
  return { code, stdout: plain(stdout).split('\n').map(parsed), stderr: plain(stderr) }
}

/** The members of a JSON document come in any order. */
function parsed(line: string): unknown {
  if (!line.startsWith('{')) return line.trimEnd()
  return JSON.parse(line.replaceAll('CURSOR', '"next_cursor":"CURSOR"')) as unknown
}

describe('both ways answer alike', () => {
  test.each(cases.map((one): [string, Case] => [one.argv, one]))('queue %s', async (_name, one) => {
    const [api, database] = [await runCase(one, 'api'), await runCase(one, 'database')]
    expect(comparable(database)).toEqual(comparable(api))
    expect(api.code).toBe(one.code ?? 0)
    expect(api.stdout + api.stderr).toMatch(one.shows)
  })

  test('every command is among them, except those that only the database has', () => {
    const untried = program.commands
      .map(({ name }) => name)
      .filter((name) => !cases.some(({ argv }) => `${argv} `.startsWith(`${name} `)))
    expect(untried).toEqual(['keys create', 'keys rotate'])
  })
})

/** What workers do meanwhile. */
async function carryOutUntil(running: Promise<Ran>): Promise<void> {
  const done = new AbortController()
  const ended = running.finally(() => done.abort())
  while (!done.signal.aborted) {
    const batch = await carryOutOperation(databaseOf(world.database.queue))
    if (batch === undefined) await setTimeout(20)
  }
  await ended
}

describe('a reschedule', () => {
  test.each(['api', 'database'] as const)(
    'over the %s is taken back by what it has shown',
    async (backend) => {
      const queue = `moved-${backend}`
      const { id } = await insertJob(world.database, {
        queue,
        createdAt: new Date(early),
        runAt: new Date(early),
      })
      const moved = await world.run(backend, [
        'reschedule',
        '--queue',
        queue,
        '--run-at',
        '2031-01-01',
        '--json',
      ])
      const undo = () => world.run(backend, ['undo-reschedule', '-'], { input: moved.stdout })
      expect(await undo()).toMatchObject({ code: 0, stdout: '1 restored\n' })
      const { stdout } = await world.run(backend, ['get', id, '--json'])
      expect(JSON.parse(stdout)).toMatchObject({ run_at: early })
      expect(await undo()).toMatchObject({ code: 0, stdout: '0 restored\n' })
    },
  )
})

describe('undo-cancel', () => {
  test.each(['api', 'database'] as const)(
    'over the %s takes back what cancel has printed',
    async (backend) => {
      const queue = `cancelled-${backend}`
      const { id } = await insertJob(world.database, { queue, runAt: new Date('2031-01-01') })
      const cancelled = await world.run(backend, ['cancel', '--queue', queue, '--json'])
      const undo = () => world.run(backend, ['undo-cancel', '-'], { input: cancelled.stdout })
      expect(await undo()).toMatchObject({ code: 0, stdout: '1 restored\n' })
      const { stdout } = await world.run(backend, ['get', id, '--json'])
      expect(JSON.parse(stdout)).toMatchObject({ status: 'queued', run_at: '2031-01-01T00:00:00.000Z' })
      expect(await undo()).toMatchObject({ code: 0, stdout: '0 restored\n' })
    },
  )
})

describe('the undo of what a command has printed of single jobs', () => {
  const waiting = { runAt: new Date('2031-01-01') }
  test.each([
    ['cancel', waiting, { status: 'queued', run_at: '2031-01-01T00:00:00.000Z' }],
    ['cancel', { ...waiting, status: 'retrying', attempts: 1 }, { status: 'retrying', attempts: 1 }],
    ['requeue', { status: 'failed_permanent' }, { status: 'failed_permanent' }],
  ] as const)('takes back what %s has printed of jobs like %j', async (act, like, restored) => {
    for (const backend of ['api', 'database'] as const) {
      const ids = [(await insertJob(world.database, like)).id, (await insertJob(world.database, like)).id]
      const changed = await world.run(backend, [act, ...ids, '--json'])
      // Some editors and shells of Windows begin a file with a byte order mark.
      const undo = () => world.run(backend, [`undo-${act}`, '-'], { input: `\uFEFF${changed.stdout}` })
      expect(await undo()).toMatchObject({ code: 0, stdout: '2 restored\n' })
      const { stdout } = await world.run(backend, ['get', ids[0] ?? '', '--json'])
      expect(JSON.parse(stdout)).toMatchObject(restored)
      expect(await undo()).toMatchObject({ code: 0, stdout: '0 restored\n' })
    }
  })
})

describe('undo-requeue', () => {
  test.each(['api', 'database'] as const)(
    'over the %s takes back what requeue has printed',
    async (backend) => {
      const queue = `requeued-${backend}`
      const { id } = await insertJob(world.database, { queue, status: 'failed_permanent' })
      const requeued = await world.run(backend, ['requeue', '--queue', queue, '--json'])
      const undo = () => world.run(backend, ['undo-requeue', '-'], { input: requeued.stdout })
      expect(await undo()).toMatchObject({ code: 0, stdout: '1 restored\n' })
      const { stdout } = await world.run(backend, ['get', id, '--json'])
      expect(JSON.parse(stdout)).toMatchObject({ status: 'failed_permanent' })
      expect(await undo()).toMatchObject({ code: 0, stdout: '0 restored\n' })
    },
  )
})

describe('requeue by filter', () => {
  test.each(['api', 'database'] as const)(
    'over the %s makes an operation of what is many',
    async (backend) => {
      const queue = `many-${backend}`
      const { pool, schema } = world.database
      await deadLetter({ queue })()
      await pool.query(
        `WITH one AS (SELECT * FROM ${schema}.all_jobs WHERE queue = $1),
            copies AS (
              INSERT INTO ${schema}.jobs (id, queue, kind, payload, status, attempts, max_attempts, lease_token, run_at, created_at, updated_at, finished_at)
              SELECT gen_random_uuid(), queue, kind, payload, status, attempts, max_attempts, lease_token, run_at, created_at, updated_at, finished_at
                FROM one, generate_series(1, 1200) RETURNING *)
       INSERT INTO ${schema}.dead_letter_jobs (job_id, dead_lettered_at, queue, kind, payload, attempts, max_attempts, lease_token, priority, crashes, created_at, execution_history)
       SELECT id, now(), queue, kind, payload, attempts, max_attempts, lease_token, priority, crashes, created_at, '[]' FROM copies`,
        [queue],
      )
      expect(
        await world.run(backend, ['dead-letters', 'requeue', '--queue', queue, '--dry-run']),
      ).toMatchObject({
        stdout: expect.stringMatching(/^1201 would be requeued\n(?: {2}[0-9a-f-]{36}\n){10}$/),
      })
      const running = world.run(backend, ['dead-letters', 'requeue', '--queue', queue])
      const carriedOut = carryOutUntil(running)
      expect(await running).toMatchObject({ code: 0, stdout: '1201 requeued\n' })
      await carriedOut
    },
  )
})

describe('an export', () => {
  test.each(['api', 'database'] as const)(
    'over the %s is complete after an interruption',
    async (backend) => {
      const queue = `exported-${backend}`
      for (let count = 0; count < 3; count += 1)
        await insertJob(world.database, { queue, payload: { big: 'x' } })
      const { pool, schema } = world.database
      await pool.query(
        `INSERT INTO ${schema}.jobs (id, queue, kind, payload, max_attempts, run_at, created_at, updated_at)
       SELECT gen_random_uuid(), queue, kind, payload, max_attempts, run_at, created_at, updated_at
         FROM ${schema}.all_jobs, generate_series(1, 300) WHERE queue = $1`,
        [queue],
      )
      const stopping = new AbortController()
      const argv = ['export', 'jobs', '--queue', queue]
      // Aborted while the first page is read: nothing is written, and there is no cursor to go on with.
      stopping.abort(130)
      const stopped = await world.run(backend, argv, { signal: stopping.signal })
      expect(stopped).toMatchObject({ code: 130, stdout: '' })
      const first = await world.run(backend, ['list', '--queue', queue, '--limit', '250', '--json'])
      const { data, next_cursor: cursor } = JSON.parse(first.stdout) as {
        data: { id: string }[]
        next_cursor: string
      }
      const rest = await world.run(backend, [...argv, '--cursor', cursor])
      const ids = [
        ...data,
        ...rest.stdout
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as { id: string }),
      ]
      expect(new Set(ids.map(({ id }) => id)).size).toBe(903)
      expect(ids).toHaveLength(903)
    },
  )
})

describe('the way to the queue', () => {
  test('is the API where the environment names both, and the command line decides', async () => {
    const env = { ...world.env.database, QUEUE_API_URL: 'http://127.0.0.1:1', QUEUE_API_KEY: '' }
    expect((await world.run('database', ['workers', '--api', 'nonsense'], { env })).code).toBe(2)
    const url = world.env.database['DATABASE_URL'] ?? ''
    const withoutPassword = url.replace(/:[^:@/]+@/, '@')
    const given = await world.run('database', ['keys', 'list', '--database', url], { env })
    expect(given.code).toBe(url === withoutPassword ? 0 : 2)
  })

  test('takes no secret on the command line', async () => {
    const argv = ['workers', '--database', 'postgres://ada:secret@127.0.0.1/queue']
    const { code, stderr } = await world.run('api', argv)
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('DATABASE_URL') })
    expect(stderr).not.toContain('secret')
    expect((await world.run('api', ['workers', '--api', 'http://ada:secret@127.0.0.1'])).code).toBe(2)
  })

  test('fails with a code of its own', async () => {
    const nowhere = { QUEUE_API_URL: '', DATABASE_URL: '' }
    expect(await world.run('api', ['workers'], { env: nowhere })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('set QUEUE_API_URL'),
    })
    expect(await world.run('api', ['workers'], { env: { QUEUE_API_KEY: '' } })).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('QUEUE_API_KEY'),
    })
    expect(await world.run('database', ['workers', '--schema', 'no_queue'])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('run queue-migrate up'),
    })
  })
})

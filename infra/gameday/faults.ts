import { findPgBouncer, startPooler } from '@queue/test-database'
import { eventually, insertJob } from '@queue/testing'
import {
  requestApi,
  deleteDeadLetters,
  email,
  emailJob,
  untilEnded,
  insertFailingJobs,
  insertSchedule,
  untilFiring,
  startMisbehavingWorker,
  misbehavingJob,
  publish,
  repeat,
  isScraped,
  openSession,
  shortLease,
  queryValue,
} from './acts.ts'
import { type GameDay, untilRegistered } from './game-day.ts'

/** Repairs the fault, as the runbook says or as an operator who has read it would. */
export type Repair = () => Promise<void>

/** A fault, and the alerts that must fire for it. */
export interface Fault {
  readonly name: string
  readonly alerts: readonly string[]
  /** Related alerts that must not fire, because they would be a second alert for the same cause. */
  readonly silent?: readonly string[]
  /** How to install a program that the fault needs; undefined if it is installed. */
  readonly missing?: () => Promise<string | undefined>
  /** Causes the fault, and resolves with the function that repairs it. */
  readonly cause: (day: GameDay) => Promise<Repair>
}

const anHourAgo = { msFromNow: -3_600_000 }

/** The alerts that no fault causes, and the reason. */
export const notCaused: Readonly<Record<string, string>> = {
  QueueLimitsRepaired:
    'workers compare limits with the jobs only every ten minutes; a test of core covers the repair',
}

/** Sets the version of the time zone data in the process that imports it. */
const otherZoneData = encodeURIComponent(
  `Object.defineProperty(process, 'versions', { value: { ...process.versions, tz: '1999a' } })`,
)

export const faults: readonly Fault[] = [
  {
    name: 'no worker has a handler for a kind',
    alerts: ['QueueBacklogOld', 'QueueKindUnserved'],
    cause: async (day) => {
      const { id } = await insertJob(day.database, { kind: 'nobody_runs_this', runAt: anHourAgo })
      return () => requestApi(day, 'POST', `/jobs/${id}/cancel`)
    },
  },
  {
    name: 'no worker serves a queue',
    alerts: ['QueueUnserved'],
    silent: ['QueueBacklogOld'],
    cause: async (day) => {
      const { id } = await insertJob(day.database, { ...emailJob, queue: 'unserved', runAt: anHourAgo })
      return async () => {
        const worker = await day.start('worker', { WORKER_QUEUES: 'unserved' })
        await untilEnded(day, id)
        await worker.stop()
      }
    },
  },
  {
    name: 'kill -9 of the last worker, with nobody left to notice',
    alerts: ['QueueUnserved', 'QueueSchedulesLate', 'OutboxUnreachable'],
    silent: ['QueueBacklogOld'],
    cause: async (day) => {
      await day.stopWorker()
      const last = await day.start('worker', { ...shortLease, WORKER_OUTBOX: 'on' })
      await untilRegistered(day, last)
      await eventually(() => isScraped(day, last.url), { deadlineMs: 20_000 })
      last.signal('SIGKILL')
      await last.stop()
      const { id } = await insertJob(day.database, { ...emailJob, runAt: anHourAgo })
      await insertSchedule(day, 'unfired')
      return async () => {
        await day.startWorker()
        await untilEnded(day, id)
        await day.database.pool.query('DELETE FROM queue.schedules')
      }
    },
  },
  {
    name: 'a queue was paused and forgotten',
    alerts: ['QueuePausedForLong'],
    cause: async (day) => {
      await requestApi(day, 'POST', '/queues/default/pause')
      await insertJob(day.database, emailJob)
      return () => requestApi(day, 'POST', '/queues/default/resume')
    },
  },
  {
    name: 'jobs fail in the first second of a process, before it is scraped',
    alerts: ['QueueDeadLetters'],
    silent: ['QueueDeadLettersKept'],
    cause: async (day) => {
      await insertFailingJobs(day, 5)
      const worker = await startMisbehavingWorker(day)
      return async () => {
        await worker.stop()
        await deleteDeadLetters(day)
      }
    },
  },
  {
    name: 'nobody handles a dead letter for a day',
    alerts: ['QueueDeadLettersKept'],
    silent: ['QueueDeadLetters'],
    cause: async (day) => {
      await insertJob(day.database, { ...emailJob, status: 'failed_permanent' })
      await day.database.pool.query(
        `UPDATE queue.dead_letter_jobs SET dead_lettered_at = now() - interval '25 hours'`,
      )
      return () => deleteDeadLetters(day)
    },
  },
  {
    name: 'a release fails every job of a kind',
    alerts: ['QueueJobsFailing'],
    cause: async (day) => {
      const worker = await startMisbehavingWorker(day)
      const stop = repeat(200, () => insertFailingJobs(day, 2))
      return async () => {
        await stop()
        await worker.stop()
        await deleteDeadLetters(day)
      }
    },
  },
  {
    name: 'kill -9 of a worker',
    alerts: ['QueueWorkersLost'],
    cause: async (day) => {
      const worker = await day.start('worker', shortLease)
      await untilRegistered(day, worker)
      worker.signal('SIGKILL')
      return () => worker.stop()
    },
  },
  {
    name: 'a worker is frozen past its lease and continues',
    alerts: ['QueueStaleWrites'],
    cause: async (day) => {
      const worker = await startMisbehavingWorker(day, shortLease)
      const { id } = await insertJob(day.database, misbehavingJob({ act: 'wait' }, { maxAttempts: 1 }))
      await eventually(async () => (await day.database.queue.get(id))?.status === 'running')
      // Prometheus must have scraped the counter at 0.
      await eventually(() => isScraped(day, worker.url), { deadlineMs: 20_000 })
      worker.signal('SIGSTOP')
      await untilEnded(day, id)
      worker.signal('SIGCONT')
      return async () => {
        await worker.stop()
        await deleteDeadLetters(day)
      }
    },
  },
  {
    name: "the workers' role loses a privilege",
    alerts: ['QueueEndsRefused'],
    cause: async (day) => {
      await day.database.pool.query('REVOKE UPDATE (last_error) ON queue.jobs FROM queue_test_worker')
      const { id } = await insertJob(day.database, emailJob)
      return async () => {
        await day.migrate('roles')
        await untilEnded(day, id)
      }
    },
  },
  {
    name: 'a transaction holds a schedule that is due',
    alerts: ['QueueSchedulesLate'],
    cause: async (day) => {
      // The lock is taken before the schedule is due, because a worker would fire it at once.
      await insertSchedule(day, 'held')
      const holder = await openSession(day, 'BEGIN; SELECT FROM queue.schedules FOR UPDATE')
      return async () => {
        await holder.query('DELETE FROM queue.schedules; COMMIT')
        await holder.end()
      }
    },
  },
  {
    name: 'a handler ignores its timeout',
    alerts: ['QueueHandlersStuck'],
    cause: async (day) => {
      const worker = await startMisbehavingWorker(day)
      await insertJob(day.database, misbehavingJob({ act: 'ignore' }, { timeoutMs: 200, maxAttempts: 1 }))
      return async () => {
        await worker.stop()
        await deleteDeadLetters(day)
      }
    },
  },
  {
    name: 'a worker has the time zone data of another release of Node',
    alerts: ['QueueZoneDataMixed'],
    cause: async (day) => {
      const worker = await day.start('worker', {
        NODE_OPTIONS: `--import data:text/javascript,${otherZoneData}`,
      })
      return () => worker.stop()
    },
  },
  {
    name: 'a handler blocks the event loop',
    alerts: ['QueueEventLoopBlocked'],
    cause: async (day) => {
      const worker = await startMisbehavingWorker(day, { WORKER_CONCURRENCY: '1' })
      const block = () => insertJob(day.database, misbehavingJob({ act: 'block', ms: 1_300 }))
      const stop = repeat(1_300, block)
      return async () => {
        await stop()
        await worker.stop()
        await day.database.pool.query(`DELETE FROM queue.jobs WHERE kind = 'misbehave'`)
      }
    },
  },
  {
    name: 'the database is behind a pooler in transaction mode, without the setting for it',
    alerts: ['QueueListenerDeaf', 'OutboxListenerDeaf'],
    missing: async () => ((await findPgBouncer()) === undefined ? 'apt install pgbouncer' : undefined),
    cause: async (day) => {
      const pooler = await startPooler((await findPgBouncer()) ?? '', day.database.directUrl)
      const worker = await day.start('worker', {
        DATABASE_URL: pooler.urlOf(day.database.directUrl),
        WORKER_OUTBOX: 'on',
      })
      return async () => {
        await worker.stop()
        await pooler.close()
      }
    },
  },
  {
    name: 'sessions lock the jobs for seconds, one after the other',
    alerts: ['QueueClaimsSlow'],
    cause: async (day) => {
      const worker = await day.start('worker')
      const lockForSeconds =
        'BEGIN; LOCK TABLE queue.jobs IN SHARE ROW EXCLUSIVE MODE; SELECT pg_sleep(1.5); COMMIT'
      const stop = repeat(500, async () => (await openSession(day, lockForSeconds)).end())
      return async () => {
        await stop()
        await worker.stop()
      }
    },
  },
  {
    name: 'a session holds a lock on the jobs',
    alerts: ['QueueClaimsFailing', 'QueuePoolExhausted', 'QueueApiErrors', 'QueueApiSlow'],
    cause: async (day) => {
      const { id } = await insertJob(day.database, { kind: 'send_email', runAt: { msFromNow: 3_600_000 } })
      const smallApi = await day.start('api', { DATABASE_POOL_MAX: '2', DATABASE_ACQUIRE_TIMEOUT_MS: '1500' })
      const holder = await openSession(day, 'BEGIN; LOCK TABLE queue.jobs IN SHARE ROW EXCLUSIVE MODE')
      const requests = new Set<Promise<unknown>>()
      const stop = repeat(100, async () => {
        const request = fetch(`${smallApi.url}/jobs/${id}/cancel`, { method: 'POST' })
          .then((response) => response.text())
          .catch(() => undefined)
          .finally(() => requests.delete(request))
        requests.add(request)
      })
      return async () => {
        await holder.end()
        await stop()
        await Promise.all(requests)
        await smallApi.stop()
      }
    },
  },
  {
    name: 'kill -9 of the last API process',
    alerts: ['QueueApiAbsent'],
    cause: async (day) => {
      day.api().signal('SIGKILL')
      await day.stopApi()
      return () => day.startApi()
    },
  },
  {
    name: 'a transaction is left open',
    alerts: ['QueueOldSnapshot'],
    cause: async (day) => {
      const holder = await openSession(day, 'BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1')
      const { rows } = await holder.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
      return async () => {
        await day.database.pool.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid])
        await holder.end().catch(() => undefined)
      }
    },
  },
  {
    name: 'no relay delivers a topic',
    alerts: ['OutboxBacklogOld'],
    cause: async (day) => {
      await day.database.pool.query(
        `INSERT INTO outbox.outbox_messages (id, topic, payload, created_at)
         VALUES (gen_random_uuid(), 'nobody_takes_this', '{}', now() - interval '1 hour')`,
      )
      return async () => {
        await day.database.pool.query(`DELETE FROM outbox.outbox_messages WHERE topic = 'nobody_takes_this'`)
      }
    },
  },
  {
    name: "the relays' role may no longer read its outbox",
    alerts: ['OutboxUnreachable'],
    cause: async (day) => {
      await day.database.pool.query('REVOKE SELECT ON outbox.outbox_messages FROM queue_test_worker')
      return () => day.migrate('outbox', 'roles')
    },
  },
  {
    name: 'the queue accepts nothing from the relays',
    alerts: ['OutboxTargetUnavailable'],
    cause: async (day) => {
      await day.database.pool.query('REVOKE INSERT ON queue.jobs FROM queue_test_worker')
      const stop = repeat(500, () => publish(day, email))
      return async () => {
        await stop()
        await day.migrate('roles')
      }
    },
  },
  {
    name: 'a service publishes messages that the queue refuses',
    alerts: ['OutboxDispatchesFailing', 'OutboxDeadLetters'],
    cause: async (day) => {
      const stop = repeat(100, () => publish(day, { not: 'an e-mail' }))
      return async () => {
        await stop()
        await day.database.pool.query('DELETE FROM outbox.outbox_dead_letters')
      }
    },
  },
  {
    name: 'the server stops, and restarts as a standby',
    alerts: ['QueueDatabaseUnreachable'],
    cause: async (day) => {
      await day.stopServer()
      await untilFiring(day, 'QueueDatabaseUnreachable')
      await day.startServer('standby')
      // The standby answers queries, but that must not clear the alert.
      await eventually(async () => (await queryValue(day, 'max(db_up)')) === 1, { deadlineMs: 60_000 })
      return async () => {
        await eventually(() => day.database.pool.query('SELECT pg_promote()'), { deadlineMs: 20_000 })
      }
    },
  },
]

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@queue/dev-postgres'
import { createTestDatabase, eventually, type TestDatabase } from '@queue/testing'
import { type AppProcess, runMigrate, startApp } from '../test/monitoring/app-process.ts'
import { launchPrometheus, type PrometheusServer } from '../test/monitoring/prometheus-server.ts'
import { rulesFile } from '../test/monitoring/rule-files.ts'
import { scaleRules } from './scale-rules.ts'

/** Longer than all faults take together. A process that hangs is killed after this time. */
const lifetimeMs = 45 * 60_000

type App = Parameters<typeof startApp>[0]

/** A running deployment with its database roles, and a Prometheus that scrapes it. */
export interface GameDay {
  readonly database: TestDatabase
  readonly prometheus: PrometheusServer
  /** The API that Prometheus scrapes; another one after `startApi`. */
  api(): AppProcess
  stopApi(): Promise<void>
  startApi(): Promise<void>
  stopWorker(): Promise<void>
  /** Starts the worker with the relay that runs unless a fault stops it, and waits until it has registered. */
  startWorker(): Promise<void>
  /** Starts another process, which Prometheus scrapes until it is stopped or killed. */
  start(app: App, env?: Readonly<Record<string, string>>): Promise<AppProcess>
  /** Runs `queue-migrate` with these arguments as the owner. */
  migrate(...args: readonly string[]): Promise<void>
  stopServer(): Promise<void>
  /** Starts the server on the same data again, as a primary or as a standby. */
  startServer(as: 'primary' | 'standby'): Promise<void>
  close(): Promise<void>
}

/** The roles that every test database has. */
const roleNames = {
  QUEUE_ROLE_API: 'queue_test_api',
  QUEUE_ROLE_WORKER: 'queue_test_worker',
  QUEUE_ROLE_READONLY: 'queue_test_readonly',
  QUEUE_ROLE_ENQUEUE: 'queue_test_enqueue',
  QUEUE_ROLE_FUNCTIONS: 'queue_test_functions',
  QUEUE_ROLE_API_TENANT: 'queue_test_api_tenant',
  OUTBOX_ROLE_PUBLISHER: 'queue_test_api',
  OUTBOX_ROLE_RELAY: 'queue_test_worker',
  OUTBOX_ROLE_READONLY: 'queue_test_readonly',
}

/** Settings of workers that react within seconds, where the defaults take minutes. */
const workerEnv = {
  WORKER_SIMULATION_SPEED: '1000',
  WORKER_RECOVERY_INTERVAL_MS: '1000',
  WORKER_SHUTDOWN_GRACE_MS: '1000',
  OUTBOX_MAX_ATTEMPTS: '1',
}

const serverSettings = { fsync: 'off' }

export async function openGameDay(): Promise<GameDay> {
  const directory = await mkdtemp(path.join(tmpdir(), 'queue-gameday-'))
  const targets = createScrapeTargets(path.join(directory, 'targets'))
  const opened: { readonly close: () => Promise<unknown> }[] = []
  const close = async (): Promise<void> => {
    for (const resource of opened.toReversed()) await resource.close().catch(() => undefined)
    await rm(directory, { recursive: true, force: true })
  }
  try {
    const data = path.join(directory, 'postgres')
    let server: EmbeddedPostgres = await startEmbeddedPostgres({ directory: data, settings: serverSettings })
    opened.push({ close: () => server.stop() })
    const database = await createTestDatabase({ serverUrl: server.url })
    opened.push(database)
    const env = { DATABASE_URL: database.directUrl, ...roleNames }
    const migrate = (...args: readonly string[]): Promise<void> => runMigrate(args, env)
    await migrate('outbox', 'up')
    await migrate('outbox', 'roles')
    await database.pool.query('GRANT pg_read_all_stats TO queue_test_api, queue_test_readonly')
    const start: GameDay['start'] = async (app, extra = {}) => {
      const baseEnv = app === 'api' ? { DATABASE_URL: database.urlAs('api') } : workerEnvOf(database)
      const appProcess = await startApp(app, { ...baseEnv, ...extra }, { lifetimeMs })
      const removeTarget = await targets.add(app === 'api' ? 'queue-api' : 'queue-worker', appProcess.url)
      let stopped: Promise<void> | undefined
      const stop = (): Promise<void> => (stopped ??= appProcess.stop().then(removeTarget))
      opened.push({ close: stop })
      return { ...appProcess, stop }
    }
    let api = await start('api')
    const prometheus = await startPrometheusOf(directory)
    opened.push({ close: () => prometheus.stop() })
    const startWorker = async (): Promise<AppProcess> => {
      const started = await start('worker', { WORKER_OUTBOX: 'on' })
      await untilRegistered({ database }, started)
      return started
    }
    let worker = await startWorker()
    return {
      database,
      prometheus,
      start,
      migrate,
      close,
      api: () => api,
      stopApi: () => api.stop(),
      startApi: async () => {
        api = await start('api')
      },
      stopWorker: () => worker.stop(),
      startWorker: async () => {
        worker = await startWorker()
      },
      stopServer: () => server.stop(),
      startServer: async (as) => {
        if (as === 'standby') await writeFile(path.join(server.directory, 'data', 'standby.signal'), '')
        server = await startEmbeddedPostgres({
          directory: server.directory,
          port: server.port,
          settings: serverSettings,
        })
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** A worker stops waiting for a lock before the query timeout of 30 s, as with a `lock_timeout` of its role. */
function workerEnvOf(database: TestDatabase): Record<string, string> {
  const url = new URL(database.urlAs('worker'))
  url.searchParams.set('options', `${url.searchParams.get('options') ?? ''} -c lock_timeout=500`)
  return { ...workerEnv, DATABASE_URL: url.href }
}

interface ScrapeTargets {
  /** Lets Prometheus scrape the process at `url`. Resolves with the function that ends this. */
  add(job: string, url: string): Promise<() => Promise<void>>
}

/** Files with the targets of Prometheus, which reads them when they change. */
function createScrapeTargets(prefix: string): ScrapeTargets {
  const hosts = new Map<string, Set<string>>()
  const write = (job: string): Promise<void> =>
    writeFile(`${prefix}-${job}.json`, JSON.stringify([{ targets: [...(hosts.get(job) ?? [])] }]))
  return {
    add: async (job, url) => {
      const { host } = new URL(url)
      const hostsOfJob = hosts.get(job) ?? new Set()
      hosts.set(job, hostsOfJob.add(host))
      await write(job)
      return () => {
        hostsOfJob.delete(host)
        return write(job)
      }
    },
  }
}

/** Starts a Prometheus with the scaled rules and the targets in `directory`. */
async function startPrometheusOf(directory: string): Promise<PrometheusServer> {
  const rules = path.join(directory, 'scaled.rules.yml')
  await writeFile(rules, scaleRules(await readFile(rulesFile, 'utf8')))
  const scrape = (job: string) => ({
    job_name: job,
    file_sd_configs: [{ files: [path.join(directory, `targets-${job}.json`)], refresh_interval: '1s' }],
  })
  return launchPrometheus({
    config: {
      // The timeout is long, because a process with a blocked event loop answers a scrape late.
      global: { scrape_interval: '2s', scrape_timeout: '2s', evaluation_interval: '1s' },
      rule_files: [rules],
      scrape_configs: [scrape('queue-api'), scrape('queue-worker')],
    },
    runbooksUrl: '',
    lifetimeMs,
  })
}

/** Waits until the worker has registered: it answers probes before that. */
export async function untilRegistered(day: Pick<GameDay, 'database'>, worker: AppProcess): Promise<void> {
  await eventually(async () => (await day.database.queue.workers()).some(({ pid }) => pid === worker.pid), {
    what: 'the registration of the worker',
    deadlineMs: 30_000,
  })
}

import type { TestDatabase } from '@queue/testing'
import type { SourceDefect } from '../mutants/source-defect.ts'
import {
  describeEnd,
  type Incident,
  startWorkerProcess,
  type WorkerConfig,
  type WorkerProcess,
} from './worker-process.ts'

/** The worker processes of one run. */
export interface Fleet {
  /** The processes that have not ended. */
  readonly members: readonly WorkerProcess[]
  /** How often this has happened, summed over all members, including those that have ended. */
  incidents(incident: Incident): number
  /** Starts one more process, with these settings over those of the fleet. Does not wait for its start. */
  add(overrides?: FleetSettings): WorkerProcess
  /** Starts `size` processes, and waits until all of them have started. */
  start(size: number): Promise<void>
  /** Descriptions of the ends of all members that have ended. Call it before any member was stopped or killed on purpose. */
  exited(): Promise<readonly string[]>
  /** Stops all members gracefully, and describes the ends of those that did not end with exit code 0. */
  stop(): Promise<readonly string[]>
  /** Kills all members at once. Idempotent. */
  kill(): Promise<void>
}

export type FleetSettings = Partial<Omit<WorkerConfig, 'idPrefix' | 'effectLogUrl' | 'schema'>> & {
  /** Additional environment variables of the process. */
  readonly env?: Readonly<Record<string, string>>
  readonly defect?: SourceDefect | undefined
}

/** How often the workers write the job statistics. */
export const statsIntervalMs = 500

/** Leases as short as a busy machine allows, and all other intervals shorter than the lease. */
const quickSettings = {
  concurrency: 5,
  leaseMs: 2_000,
  heartbeatMs: 500,
  recoveryIntervalMs: 250,
  pollIntervalMs: 20,
  maxPollIntervalMs: 100,
  shutdownGraceMs: 10_000,
  stallMs: 60_000,
  statsIntervalMs,
} as const

export function createFleet(
  database: Pick<TestDatabase, 'url' | 'schema'>,
  settings: FleetSettings = {},
): Fleet {
  const all: WorkerProcess[] = []
  const members = (): WorkerProcess[] => all.filter(({ alive }) => alive)
  const add = (overrides: FleetSettings = {}): WorkerProcess => {
    const { env, defect, ...config } = { ...settings, ...overrides }
    const member = startWorkerProcess(
      {
        databaseUrl: database.url,
        effectLogUrl: database.url,
        schema: database.schema,
        idPrefix: `chaos${all.length}`,
        ...quickSettings,
        ...config,
      },
      { ...(env === undefined ? {} : { env }), defect },
    )
    all.push(member)
    return member
  }
  return {
    get members() {
      return members()
    },
    incidents: (incident) => all.reduce((sum, member) => sum + member.incidents(incident), 0),
    add,
    start: async (size) => {
      await Promise.all(Array.from({ length: size }, () => add().started))
    },
    exited: async () => {
      const exited = all.filter(({ alive }) => !alive)
      return (await Promise.all(exited.map(({ ended }) => ended))).map(describeEnd)
    },
    stop: async () => {
      const stopping = members()
      // A process that is still loading has no signal handler yet, so the signal would kill it.
      await Promise.allSettled(stopping.map(({ started }) => started))
      for (const member of stopping) member.signal('SIGTERM')
      const ends = await Promise.all(stopping.map(({ ended }) => ended))
      return ends.flatMap((end) => (end.code === 0 ? [] : [describeEnd(end)]))
    },
    kill: async () => {
      const killed = members()
      for (const member of killed) member.signal('SIGKILL')
      await Promise.all(killed.map(({ ended }) => ended))
    },
  }
}

/** The URL with an application name for all its connections. A name in the URL has precedence over other settings. */
export function withApplicationName(databaseUrl: string, name: string): string {
  const url = new URL(databaseUrl)
  url.searchParams.set('application_name', name)
  return url.href
}

import type { TestDatabase } from '@queue/testing'
import type { SourceDefect } from '../mutants/source-defect.ts'
import {
  describeEnd,
  type Mishap,
  startWorkerProcess,
  type WorkerOrder,
  type WorkerProcess,
} from './worker-process.ts'

/** The worker processes of one run. */
export interface Fleet {
  /** Those that have not ended. */
  readonly members: readonly WorkerProcess[]
  /** How often this has happened, to all members that there have been. */
  mishaps(mishap: Mishap): number
  /** Starts one more process, with settings of its own where they are given, and does not wait for it. */
  add(own?: FleetSettings): WorkerProcess
  /** Starts so many, and waits until all of them work. */
  start(size: number): Promise<void>
  /** How those have ended that nobody has told to. */
  gone(): Promise<readonly string[]>
  /** Stops all of them gracefully, and says how those have ended that did not end with exit code 0. */
  stop(): Promise<readonly string[]>
  /** Ends all of them at once. Idempotent. */
  kill(): Promise<void>
}

export type FleetSettings = Partial<Omit<WorkerOrder, 'idPrefix' | 'effectLogUrl' | 'schema'>> & {
  /** What a process has in its environment besides the PATH. */
  readonly env?: Readonly<Record<string, string>>
  readonly defect?: SourceDefect | undefined
}

/** How often they add what they have counted to the numbers over time. */
export const statsIntervalMs = 500

/** Leases as short as they may be with room for a busy machine, and everything else quicker than them. */
const quick = {
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
  const add = (own: FleetSettings = {}): WorkerProcess => {
    const { env, defect, ...order } = { ...settings, ...own }
    const member = startWorkerProcess(
      {
        databaseUrl: database.url,
        effectLogUrl: database.url,
        schema: database.schema,
        idPrefix: `chaos${all.length}`,
        ...quick,
        ...order,
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
    mishaps: (mishap) => all.reduce((sum, member) => sum + member.mishaps(mishap), 0),
    add,
    start: async (size) => {
      await Promise.all(Array.from({ length: size }, () => add().started))
    },
    gone: async () => {
      const gone = all.filter(({ alive }) => !alive)
      return (await Promise.all(gone.map(({ ended }) => ended))).map(describeEnd)
    },
    stop: async () => {
      const stopping = members()
      // A process that is still loading has no handler of the signal yet, and would die of it.
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

/** Every connection that is made by this URL has this name: what a URL says comes first. */
export function named(databaseUrl: string, name: string): string {
  const url = new URL(databaseUrl)
  url.searchParams.set('application_name', name)
  return url.href
}

import type { Lease, UnbegunJob } from '@queue/core/internal'
import type { AbortReason } from '@queue/executor'
import type { Attempt } from './attempt.ts'
import { type Claimer, createClaimer } from './claimer.ts'
import type { Base, Writes } from './base.ts'
import { Fetcher } from './fetcher.ts'
import { type AttemptOutcome, attemptOutcomes, noOutcomes } from './observer.ts'
import type { SlotGroupSettings } from './options.ts'
import { createPrefetch, type Prefetch } from './prefetch.ts'
import type { RunJobDeps } from './run-job.ts'
import { CrashedJobs, Runner } from './runner.ts'

/**
 * The slots of a process: one group that its queues share, and one for each queue with a concurrency of its own. Each group
 * makes its own claims, so that a queue whose slots are all taken does not hold up the others.
 */
export interface SlotGroups {
  /** Begins to claim. */
  start(): void
  /** Resolves when the last claims have been answered and all unstarted jobs have been returned. */
  stop(): Promise<void>
  /** Makes the groups of this queue, or all groups, claim at once if they have room. */
  wake(queue?: string): void
  /** Makes the next claim scan this queue from the beginning. */
  rescan(queue: string): void
  /** Resolves when the claims that are in flight now have ended. */
  claimsEnded(): Promise<void>
  /** Returns the jobs that wait in memory. */
  returnFetched(): void
  /** The leases of all jobs that this process holds. */
  leases(): Lease[]
  /** Whether this process holds any job. */
  holdsJobs(): boolean
  /**
   * Resolves with true if this process holds no job, and a new claim of each group, from the beginning of its queues, finds none,
   * and none that a limit delays.
   */
  findNothing(): Promise<boolean>
  /** How many attempts have ended, by outcome. */
  outcomes(): Record<AttemptOutcome, number>
  /** The attempts whose handlers run now. */
  executing(): Attempt[]
  abortAll(reason: AbortReason): void
  /** Resolves with true once every end is recorded, and with false after `timeoutMs`. */
  whenIdle(timeoutMs: number): Promise<boolean>
}

export interface SlotGroupsOptions {
  readonly base: Base
  readonly writes: Writes
  /** The dependencies of the attempts in a group. */
  readonly attemptsOf: (prefetch: Prefetch) => Omit<RunJobDeps, 'holder'>
  readonly onLeaseLost: (workerId: string) => void
  readonly onClaimFailed: () => void
  readonly returnUnstarted: (jobs: readonly UnbegunJob[]) => void
  /** Called when every slot of a group is held by a handler that runs past its timeout and grace. */
  readonly onExhausted: () => void
}

interface SlotGroup {
  readonly queues: readonly string[]
  readonly claimer: Claimer
  readonly runner: Runner
  readonly fetcher: Fetcher
}

export function createSlotGroups(options: SlotGroupsOptions): SlotGroups {
  const crashedJobs = new CrashedJobs(() => {
    for (const { claimer } of groups) claimer.rescan()
  })
  const groups = options.base.groups.map((settings) => createSlotGroup(settings, { ...options, crashedJobs }))
  const runners = groups.map(({ runner }) => runner)
  const fetchers = groups.map(({ fetcher }) => fetcher)
  const holdsJobs = (): boolean => groups.some(({ runner, fetcher }) => runner.holdsJobs || fetcher.holdsJobs)
  const begun = (): number => runners.reduce((sum, runner) => sum + runner.begun, 0)
  const groupsServing = (queue: string): SlotGroup[] => groups.filter(({ queues }) => queues.includes(queue))
  return {
    start: () => {
      for (const fetcher of fetchers) fetcher.start()
    },
    stop: async () => {
      await Promise.all(fetchers.map((fetcher) => fetcher.stop()))
    },
    wake: (queue) => {
      for (const { fetcher } of queue === undefined ? groups : groupsServing(queue)) fetcher.wake()
    },
    rescan: (queue) => {
      for (const { claimer } of groupsServing(queue)) claimer.rescan(queue)
    },
    claimsEnded: async () => {
      await Promise.all(fetchers.map((fetcher) => fetcher.claimEnded()))
    },
    returnFetched: () => {
      for (const fetcher of fetchers) fetcher.returnFetched()
    },
    leases: () => groups.flatMap(({ runner, fetcher }) => [...runner.leases(), ...fetcher.leases()]),
    holdsJobs,
    findNothing: async () => {
      const begunBefore = begun()
      if (holdsJobs()) return false
      // One after the other, because only one claim at a time may bring a job that has crashed a worker.
      for (const { claimer, fetcher } of groups) {
        claimer.rescan()
        if (!(await fetcher.findsNothing())) return false
      }
      // A claim that was under way may have brought a job, which may have enqueued others.
      return begun() === begunBefore && !holdsJobs()
    },
    outcomes: () => {
      const total = noOutcomes()
      for (const { outcomes } of runners)
        for (const outcome of attemptOutcomes) total[outcome] += outcomes[outcome]
      return total
    },
    executing: () => runners.flatMap((runner) => runner.executing()),
    abortAll: (reason) => {
      for (const runner of runners) runner.abortAll(reason)
    },
    whenIdle: async (timeoutMs) => {
      const idle = await Promise.all(runners.map((runner) => runner.whenIdle(timeoutMs)))
      return idle.every(Boolean)
    },
  }
}

interface SlotGroupParts extends SlotGroupsOptions {
  readonly crashedJobs: CrashedJobs
}

function createSlotGroup({ queues, concurrency }: SlotGroupSettings, parts: SlotGroupParts): SlotGroup {
  const { base, writes, crashedJobs, returnUnstarted, onExhausted } = parts
  const settings = { ...base.settings, queues, concurrency }
  const prefetch = createPrefetch({ ...settings, setting: settings.prefetch, nowMs: base.nowMs })
  const claimer: Claimer = createClaimer({
    ...base,
    settings,
    onLeaseLost: parts.onLeaseLost,
    onFailed: parts.onClaimFailed,
  })
  const runner: Runner = new Runner({
    ...base,
    settings,
    attempts: parts.attemptsOf(prefetch),
    onRoom: () => fetcher.onRoom(),
    onCountedEnd: () => fetcher.wake(),
    onDuration: prefetch.observe,
    crashedJobs,
    onExhausted,
  })
  const fetcher: Fetcher = new Fetcher({
    ...base,
    ...writes,
    settings,
    claimer,
    prefetch,
    runner,
    crashedJobs,
    returnUnstarted,
  })
  return { queues, claimer, runner, fetcher }
}

import { renderGrowth } from './growth/report.ts'
import { runGrowth } from './growth/run-growth.ts'
import { httpRatios, renderHttp, runHttp } from './http/run-http.ts'
import { limitsRatios, renderLimits, runLimits } from './limits/run-limits.ts'
import { renderMemory, runMemory } from './memory/run-memory.ts'
import { outboxRatios, renderOutbox, runOutbox } from './outbox/run-outbox.ts'
import { pairsRatios, renderPairs } from './pairs/drain-pairs.ts'
import { runLogs } from './pairs/run-logs.ts'
import { runOperations } from './pairs/run-operations.ts'
import { renderScale, runScale, scaleRatios } from './scale/run-scale.ts'
import { renderSchedules, runSchedules } from './schedules/run-schedules.ts'
import type { Measurement } from './throughput/measurement.ts'
import { ratiosOf, renderThroughput } from './throughput/report-throughput.ts'
import { runThroughput } from './throughput/run-throughput.ts'

/** The size of each part of a run. */
export interface Size {
  readonly rounds: number
  readonly counts: Readonly<Record<Measurement, number>>
  readonly scaleCounts: Readonly<Record<'no-op' | '5 ms', number>>
  readonly growth: { readonly scale: number; readonly rounds: number }
  readonly http: { readonly seconds: number; readonly rounds: number; readonly warmUpRequests: number }
  readonly memory: { readonly seconds: number }
  /** `count` is the number of messages. */
  readonly outbox: { readonly count: number }
  readonly schedules: { readonly count: number; readonly seconds: number }
  readonly operations: { readonly deadLetters: number; readonly count: number; readonly pairs: number }
  readonly logs: { readonly count: number; readonly pairs: number }
  readonly limits: {
    readonly count: number
    readonly scale: number
    readonly claims: number
    readonly seconds: number
  }
}

export const full: Size = {
  rounds: 3,
  counts: { enqueue: 100_000, drain: 100_000, latency: 1_500 },
  scaleCounts: { 'no-op': 100_000, '5 ms': 40_000 },
  growth: { scale: 1, rounds: 15 },
  http: { seconds: 2, rounds: 9, warmUpRequests: 50_000 },
  memory: { seconds: 30 },
  outbox: { count: 50_000 },
  schedules: { count: 10_000, seconds: 120 },
  operations: { deadLetters: 1_000_000, count: 50_000, pairs: 12 },
  logs: { count: 20_000, pairs: 12 },
  limits: { count: 100_000, scale: 1, claims: 100, seconds: 10 },
}

/** Only checks that everything runs. With so little work the figures mean little: V8 has not compiled most of the code yet. */
export const quick: Size = {
  rounds: 1,
  counts: { enqueue: 5_000, drain: 5_000, latency: 30 },
  scaleCounts: { 'no-op': 5_000, '5 ms': 2_000 },
  growth: { scale: 0.02, rounds: 3 },
  http: { seconds: 1, rounds: 1, warmUpRequests: 1_000 },
  memory: { seconds: 1 },
  outbox: { count: 2_500 },
  schedules: { count: 200, seconds: 2 },
  operations: { deadLetters: 10_000, count: 4_000, pairs: 1 },
  logs: { count: 2_000, pairs: 1 },
  limits: { count: 4_000, scale: 0.01, claims: 10, seconds: 1 },
}

/** The arguments of every part. */
export interface Run {
  readonly serverUrl: string
  readonly size: Size
  readonly onStep: (step: string) => void
}

export interface PartResult {
  /** The figures and ratios as text. */
  readonly text: string
  readonly figures: unknown
  readonly ratios: Readonly<Record<string, number>>
}

/** The parts of the benchmark, in the order of a full run. */
export const parts = {
  enqueue: (run) => throughput('enqueue', run),
  drain: (run) => throughput('drain', run),
  latency: (run) => throughput('latency', run),
  scale: async ({ serverUrl, size, onStep }) => {
    const figures = await runScale({ serverUrl, counts: size.scaleCounts, rounds: size.rounds, onStep })
    return { text: renderScale(figures), figures, ratios: scaleRatios(figures) }
  },
  http: async ({ serverUrl, size, onStep }) => {
    const figures = await runHttp({ serverUrl, ...size.http, onStep })
    return { text: renderHttp(figures), figures, ratios: httpRatios(figures) }
  },
  memory: async ({ serverUrl, size, onStep }) => {
    const figures = await runMemory({ serverUrl, ...size.memory, onStep })
    return { text: renderMemory(figures), figures, ratios: {} }
  },
  outbox: async ({ serverUrl, size, onStep }) => {
    const figures = await runOutbox({ serverUrl, ...size.outbox, rounds: size.rounds, onStep })
    return { text: renderOutbox(figures), figures, ratios: outboxRatios(figures) }
  },
  schedules: async ({ serverUrl, size, onStep }) => {
    const figures = await runSchedules({ serverUrl, ...size.schedules, onStep })
    return { text: renderSchedules(figures), figures, ratios: {} }
  },
  limits: async ({ serverUrl, size, onStep }) => {
    const figures = await runLimits({ serverUrl, ...size.limits, rounds: size.rounds, onStep })
    return { text: renderLimits(figures), figures, ratios: limitsRatios(figures) }
  },
  operations: async ({ serverUrl, size, onStep }) => {
    const figures = await runOperations({ serverUrl, ...size.operations, onStep })
    return {
      text: renderPairs('operations', figures, 'changes/s of an operation'),
      figures,
      ratios: pairsRatios('operations', figures),
    }
  },
  logs: async ({ serverUrl, size, onStep }) => {
    const figures = await runLogs({ serverUrl, ...size.logs, onStep })
    return {
      text: renderPairs('logs', figures, 'logged lines/s'),
      figures,
      ratios: pairsRatios('logs', figures),
    }
  },
  growth: async ({ serverUrl, size, onStep }) => {
    const figures = await runGrowth({ serverUrl, ...size.growth, onStep })
    return { text: renderGrowth(figures), figures, ratios: {} }
  },
} as const satisfies Record<string, (run: Run) => Promise<PartResult>>

export type Part = keyof typeof parts

async function throughput(measurement: Measurement, { serverUrl, size, onStep }: Run): Promise<PartResult> {
  const count = size.counts[measurement]
  const figures = await runThroughput({ serverUrl, measurement, count, rounds: size.rounds, onStep })
  return { text: renderThroughput(measurement, figures), figures, ratios: ratiosOf(measurement, figures) }
}

import { randomUUID } from 'node:crypto'
import type { SimulatedKind } from '@queue/executor'

/** The way in which a job is submitted, and what happens to it afterwards. */
export type Scenario =
  | 'plain'
  | 'duplicate'
  | 'scheduled'
  | 'cancel_scheduled'
  | 'cancel_running'
  | 'last_attempt'
  | 'real'

/** One submission over HTTP. */
export interface PlannedJob {
  readonly scenario: Scenario
  readonly body: Readonly<Record<string, unknown>> & { readonly kind: SimulatedKind }
  readonly idempotencyKey: string | undefined
}

const jobsTotal = 200

/** The number of submissions of each scenario; `plain` gets the rest. */
const counts = {
  duplicate: 20,
  scheduled: 20,
  cancel_scheduled: 15,
  cancel_running: 15,
  last_attempt: 40,
} as const satisfies Partial<Record<Scenario, number>>

const scheduleMsMin = 500
const scheduleMsMax = 3_000
/** Long enough that the job is still waiting when it is cancelled. */
const cancelledScheduleMs = 600_000

const payloads: Record<SimulatedKind, (index: number) => Record<string, unknown>> = {
  send_email: (index) => ({
    to: `user${index}@example.com`,
    subject: `Invoice ${index}`,
    body: 'Thank you.',
  }),
  resize_image: (index) => ({
    source_url: `https://example.com/${index}.png`,
    width: 640,
    height: 480,
    format: 'webp',
  }),
  summarize_text: (index) => ({
    text: `Text number ${index}, which says little at some length.`,
    max_sentences: 1,
  }),
  webhook_delivery: (index) => ({ url: `https://example.com/hooks/${index}`, body: { order: index } }),
}
const kinds = Object.keys(payloads) as SimulatedKind[]

/** A payload for this kind. Different indexes give different payloads. */
export function demoPayload(kind: SimulatedKind, index: number): Record<string, unknown> {
  return payloads[kind](index)
}

/** Plans the 200 submissions, with every kind in every scenario. A duplicate repeats a plain job that has a key. */
export function planJobs(): PlannedJob[] {
  const runId = randomUUID()
  const scenarios = Object.entries(counts) as [keyof typeof counts, number][]
  const scenarioJobs = scenarios.flatMap(([scenario, count]) =>
    Array.from({ length: count }, (_, index) => planJob(scenario, index, runId)),
  )
  const plainJobs = Array.from({ length: jobsTotal - scenarioJobs.length }, (_, index) =>
    planJob('plain', index, runId),
  )
  return [...plainJobs, ...scenarioJobs]
}

/** The first plain jobs have a key, and each duplicate has the index of the job that it repeats. */
function planJob(scenario: Scenario, index: number, runId: string): PlannedJob {
  const kind = kinds[index % kinds.length] ?? 'send_email'
  const hasKey = scenario === 'duplicate' || (scenario === 'plain' && index < counts.duplicate)
  return {
    scenario,
    body: { kind, payload: payloads[kind](index), ...optionsOf(scenario, index) },
    idempotencyKey: hasKey ? `demo-${runId}-${index}` : undefined,
  }
}

function optionsOf(scenario: Scenario, index: number): Record<string, unknown> {
  switch (scenario) {
    case 'scheduled':
      return { delay_ms: scheduleMsMin + ((index * 137) % (scheduleMsMax - scheduleMsMin)) }
    case 'cancel_scheduled':
      return { delay_ms: cancelledScheduleMs }
    case 'last_attempt':
      return { max_attempts: 1 }
    default:
      return { priority: index % 10 }
  }
}

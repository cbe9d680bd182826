import { InvalidInput } from '@queue/core'
import type { OptionsOf } from '@queue/core/internal'
import { z } from 'zod'
import { inputIssues } from './input-issues.ts'
import { defaultWork, type SimulatedKind, simulatedKinds, type SimulatedWork } from './simulated-work.ts'

const stepMsMax = 86_400_000
const stepsMax = 100

const speedMin = 0.001
const speedMax = 1_000_000

const kind = z.enum(simulatedKinds)
const step = z
  .strictObject({
    name: z.string().min(1).max(100),
    minMs: z.int().min(0).max(stepMsMax),
    maxMs: z.int().min(0).max(stepMsMax),
  })
  .refine((range) => range.minMs <= range.maxMs, { path: ['maxMs'], message: 'must not be below minMs' })

const simulationFields = {
  /** How fast time passes for the simulated work: 2 halves every duration, 0.5 doubles it. Default 1. */
  speed: z.number().min(speedMin).max(speedMax).default(1).meta({
    variable: 'WORKER_SIMULATION_SPEED',
    description: 'How fast the simulated work runs: 2 halves the durations of its steps, 0.5 doubles them.',
  }),
  /** The chance, 0..1, that attempt 1 of a job of this kind fails. Later attempts never do. */
  failureRates: z.partialRecord(kind, z.number().min(0).max(1)).optional(),
  /** The steps of a kind, in place of its default ones. Names must be unique within a kind, because draws are keyed by them. */
  steps: z
    .partialRecord(
      kind,
      z
        .array(step)
        .min(1)
        .max(stepsMax)
        .refine(
          (steps) => new Set(steps.map(({ name }) => name)).size === steps.length,
          'has two steps with the same name',
        ),
    )
    .optional(),
}

/** The options of simulated work, with bounds and defaults. */
export const simulationOptionsSchema = z.strictObject(simulationFields)

/** The options that change the defaults of simulated work. */
export type SimulationOptions = OptionsOf<typeof simulationFields>

/** Checked options, with the defaults filled in. */
export interface Simulation {
  readonly speed: number
  readonly work: Readonly<Record<SimulatedKind, SimulatedWork>>
}

const defaultSimulation: Simulation = { speed: 1, work: defaultWork }

/** The simulation that `options` describe. Throws `InvalidInput` (code `invalid_options`) with every issue. */
export function createSimulation(options?: SimulationOptions): Simulation {
  if (options === undefined) return defaultSimulation
  const parsed = simulationOptionsSchema.safeParse(options)
  if (!parsed.success) throw new InvalidInput('invalid_options', inputIssues(parsed.error))
  const { speed, failureRates = {}, steps = {} } = parsed.data
  const adjusted = simulatedKinds.map((name): [SimulatedKind, SimulatedWork] => {
    const work = defaultWork[name]
    const failureRate = failureRates[name] ?? work.failureRate
    return [name, { ...work, failureRate, steps: steps[name] ?? work.steps }]
  })
  return { speed, work: Object.fromEntries(adjusted) as Record<SimulatedKind, SimulatedWork> }
}

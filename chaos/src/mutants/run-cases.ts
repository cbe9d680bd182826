import type { CheckedRun } from '../checker/check-run.ts'
import { checkFinishedRun } from '../run/conclude.ts'
import { withWorld } from '../run/world.ts'
import type { ScenarioContext } from '../scenarios/scenario.ts'
import { installRecoveryDelay } from './interleave.ts'
import { createMutatedPool } from './mutated-pool.ts'
import type { Mutation, Detection } from './mutation.ts'
import { cases } from './cases.ts'
import { plantInFunctions } from './function-texts.ts'
import { createHarness, type Harness } from './harness.ts'

/** The result of running all cases with one version of the statements. */
export interface CasesResult {
  /** How a defect was detected, with a detail; empty for statements without a defect. */
  readonly detections: ReadonlyMap<Detection, string>
  /** How many statements had the defect. */
  readonly altered: number
  /** The statements that were sent, without the defect. */
  readonly statements: ReadonlySet<string>
}

/**
 * Runs every case, in an order that the seed decides, with this defect in the statements or without one, and checks the
 * whole run.
 */
export function runCases(context: ScenarioContext, mutation: Mutation | undefined): Promise<CasesResult> {
  return withWorld(context, { name: 'mutants' }, async (world) => {
    const mutated = createMutatedPool(world.database.url, mutation)
    try {
      await installRecoveryDelay(world.database)
      const planted = await plantInFunctions(world.database, mutation)
      const harness = createHarness(world, mutated)
      const refusals = await runAllCases(harness, context)
      await harness.queue.close()
      const checked = await checkFinishedRun(world)
      const detections = detectionsOf(checked, { refusals, wrongAnswers: harness.wrongAnswers })
      const statements = new Set([...mutated.statements, ...planted.texts])
      return { detections, statements, altered: mutated.alteredCount() + planted.altered }
    } finally {
      await mutated.pool.end()
    }
  })
}

/** The last detail of each kind of detection. */
function detectionsOf(checked: CheckedRun, problems: CaseProblems): Map<Detection, string> {
  const faults = checked.faults.map(({ kind, job, detail }) => [kind, `job ${job}: ${detail}`] as const)
  const broken = checked.brokenInvariants.map((text) => ['broken invariant', text] as const)
  const refused = problems.refusals.map((text) => ['refused', text] as const)
  const wrongAnswers = problems.wrongAnswers.map((text) => ['wrong answer', text] as const)
  return new Map<Detection, string>([...faults, ...broken, ...refused, ...wrongAnswers])
}

interface CaseProblems {
  readonly refusals: readonly string[]
  readonly wrongAnswers: readonly string[]
}

/** Runs all cases. Resolves with the errors of failed cases. A case ends at its first error; the others still run. */
async function runAllCases(harness: Harness, { random, signal }: ScenarioContext): Promise<string[]> {
  const refusals: string[] = []
  const attempt = async (name: string, act: () => Promise<unknown>): Promise<void> => {
    signal.throwIfAborted()
    await act().catch((error: unknown) => refusals.push(`${name}: ${reason(error)}`))
  }
  for (const name of shuffled(Object.keys(cases), random.fork('cases'))) {
    await attempt(name, () => cases[name]?.(harness) ?? Promise.resolve())
  }
  await attempt('the remaining jobs', () => harness.drainAll())
  return refusals
}

function shuffled(names: readonly string[], random: ScenarioContext['random']): string[] {
  return names
    .map((name) => ({ name, at: random.next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ name }) => name)
}

function reason(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : ''
  return `${String(error)}${cause}`
}

import type { CheckedRun } from '../checker/check-run.ts'
import { concluded } from '../run/conclude.ts'
import { withWorld } from '../run/world.ts'
import type { RowContext } from '../rows/row.ts'
import { installHoldUp } from './interleave.ts'
import { createMutatedPool } from './mutated-pool.ts'
import type { Mutation, MutantSign } from './mutation.ts'
import { plots } from './plots.ts'
import { createStage, type Stage } from './stage.ts'

/** What a play has shown of the statements that it was played with. */
export interface PlayResult {
  /** What was found, by its sign; empty for statements without a defect. */
  readonly found: ReadonlyMap<MutantSign, string>
  /** How many statements carried the defect. */
  readonly altered: number
  /** What was sent, without the defect. */
  readonly statements: ReadonlySet<string>
}

/** Plays every plot, in an order that the seed decides, with this defect in the statements or none, and checks all of it. */
export function play(context: RowContext, mutation: Mutation | undefined): Promise<PlayResult> {
  return withWorld(context, { name: 'mutants' }, async (world) => {
    const mutated = createMutatedPool(world.database.url, mutation)
    try {
      await installHoldUp(world.database)
      const stage = createStage(world, mutated)
      const refusals = await playAll(stage, context)
      await stage.queue.close()
      const checked = await concluded(world)
      const found = signsOf(checked, { refusals, wrongAnswers: stage.wrongAnswers })
      return { found, statements: mutated.statements, altered: mutated.altered() }
    } finally {
      await mutated.pool.end()
    }
  })
}

/** The last finding of each sign. */
function signsOf(checked: CheckedRun, noticed: Noticed): Map<MutantSign, string> {
  const faults = checked.faults.map(({ kind, job, detail }) => [kind, `job ${job}: ${detail}`] as const)
  const broken = checked.brokenInvariants.map((text) => ['broken invariant', text] as const)
  const refused = noticed.refusals.map((text) => ['refused', text] as const)
  const wrong = noticed.wrongAnswers.map((text) => ['wrong answer', text] as const)
  return new Map<MutantSign, string>([...faults, ...broken, ...refused, ...wrong])
}

interface Noticed {
  readonly refusals: readonly string[]
  readonly wrongAnswers: readonly string[]
}

/** The statements that failed, by plot. A plot that fails is over, and the others go on. */
async function playAll(stage: Stage, { random, signal }: RowContext): Promise<string[]> {
  const refusals: string[] = []
  const attempt = async (name: string, act: () => Promise<unknown>): Promise<void> => {
    signal.throwIfAborted()
    await act().catch((error: unknown) => refusals.push(`${name}: ${reason(error)}`))
  }
  for (const name of shuffled(Object.keys(plots), random.fork('plots'))) {
    await attempt(name, () => plots[name]?.(stage) ?? Promise.resolve())
  }
  await attempt('the end', () => stage.workOffAll())
  return refusals
}

function shuffled(names: readonly string[], random: RowContext['random']): string[] {
  return names
    .map((name) => ({ name, at: random.next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ name }) => name)
}

function reason(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : ''
  return `${String(error)}${cause}`
}

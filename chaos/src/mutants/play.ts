import type { CheckedRun } from '../checker/check-run.ts'
import { concluded } from '../run/conclude.ts'
import { withWorld, type World } from '../run/world.ts'
import type { ScenarioContext } from '../scenarios/scenario.ts'
import { installHoldUp } from './interleave.ts'
import { createMutatedPool } from './mutated-pool.ts'
import { type Mutation, type MutantSign, mutate } from './mutation.ts'
import { cases } from './cases.ts'
import { functionNames, readFunctions } from './function-texts.ts'
import { createHarness, type Harness } from './harness.ts'

/** What a play has shown of the statements that it was played with. */
export interface PlayResult {
  /** What was found, by its sign; empty for statements without a defect. */
  readonly found: ReadonlyMap<MutantSign, string>
  /** How many statements carried the defect. */
  readonly altered: number
  /** What was sent, without the defect. */
  readonly statements: ReadonlySet<string>
}

/**
 * Plays every case, in an order that the seed decides, with this defect in the statements or none, and checks all of
 * it.
 */
export function play(context: ScenarioContext, mutation: Mutation | undefined): Promise<PlayResult> {
  return withWorld(context, { name: 'mutants' }, async (world) => {
    const mutated = createMutatedPool(world.database.url, mutation)
    try {
      await installHoldUp(world.database)
      const planted = await plantInFunctions(world, mutation)
      const harness = createHarness(world, mutated)
      const refusals = await playAll(harness, context)
      await harness.queue.close()
      const checked = await concluded(world)
      const found = signsOf(checked, { refusals, wrongAnswers: harness.wrongAnswers })
      const statements = new Set([...mutated.statements, ...planted.texts])
      return { found, statements, altered: mutated.altered() + planted.altered }
    } finally {
      await mutated.pool.end()
    }
  })
}

/** Alters the functions of the schema, which are no statements that are sent; gives their texts as they were. */
async function plantInFunctions(
  { database }: World,
  mutation: Mutation | undefined,
): Promise<{ readonly texts: readonly string[]; readonly altered: number }> {
  const texts = await readFunctions(database)
  const edits = (mutation?.edits ?? []).filter(({ within }) => functionNames.includes(within ?? ''))
  const altered = texts.map((text) => mutate(text, edits)).filter((text) => text !== undefined)
  for (const text of altered) await database.pool.query(text)
  return { texts, altered: altered.length }
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

/** The statements that failed, by case. A case that fails is over, and the others go on. */
async function playAll(harness: Harness, { random, signal }: ScenarioContext): Promise<string[]> {
  const refusals: string[] = []
  const attempt = async (name: string, act: () => Promise<unknown>): Promise<void> => {
    signal.throwIfAborted()
    await act().catch((error: unknown) => refusals.push(`${name}: ${reason(error)}`))
  }
  for (const name of shuffled(Object.keys(cases), random.fork('cases'))) {
    await attempt(name, () => cases[name]?.(harness) ?? Promise.resolve())
  }
  await attempt('the end', () => harness.workOffAll())
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

import { mutations } from '../mutants/mutations.ts'
import { type Edit, type Mutation, mutate } from '../mutants/mutation.ts'
import { runCases } from '../mutants/run-cases.ts'
import { type Scenario, type ScenarioContext, type RunResult, resultOf } from './scenario.ts'

/** The number of runs without a defect for each run with one. */
const cleanShare = 0.6

/**
 * Runs the cases with defects in the statements, one at a time. The checker must detect each defect by the fault that it causes.
 * For the statements without a defect it must find nothing.
 */
export const mutants: Scenario = {
  number: 1,
  name: 'mutants',
  law: 'the checker can fail',
  counted: 'mutants',
  full: { jobs: 0, count: mutations.length, minutesMax: 25 },
  reduced: { jobs: 0, count: 3, minutesMax: 10 },
  run: async (context) => {
    const chosen = chooseMutations(context)
    const faults: string[] = []
    let clean = 0
    for (; clean < chosen.length * cleanShare; clean += 1) {
      const draws = context.random.fork(`clean ${clean}`)
      const { detections, statements } = await runCases({ ...context, random: draws }, undefined)
      faults.push(...[...detections].map(([fault, detail]) => `false alarm: ${fault}: ${detail}`))
      if (clean === 0) faults.push(...staleMutants([...statements]))
      context.progress(`${clean + 1} runs without a defect`)
    }
    let killed = 0
    for (const mutation of chosen) {
      const survival = await survivalOf(mutation, context)
      if (survival === undefined) killed += 1
      else faults.push(survival)
      context.progress(`${killed} of ${chosen.length} mutants killed`)
    }
    return evaluate({ clean, killed, faults })
  },
}

/** Mutants whose text is no longer in any statement. Without this check only a full run would notice all of them. */
function staleMutants(statements: readonly string[]): string[] {
  const isStale = (edit: Edit): boolean => statements.every((text) => mutate(text, [edit]) === undefined)
  return mutations
    .filter(({ edits }) => edits.some(isStale))
    .map(({ name }) => `the text that the mutant "${name}" alters is no longer in any statement`)
}

/** A random choice of mutants, as many as the size of the scenario says. */
function chooseMutations({ size, random }: ScenarioContext): Mutation[] {
  const draw = random.fork('mutants')
  return mutations
    .map((mutation) => ({ mutation, at: draw.next() }))
    .sort((a, b) => a.at - b.at)
    .slice(0, size.count)
    .map(({ mutation }) => mutation)
}

/** Why this mutant was not killed; undefined if it was. */
async function survivalOf(mutation: Mutation, context: ScenarioContext): Promise<string | undefined> {
  const { detections, altered } = await runCases(
    { ...context, random: context.random.fork(mutation.name) },
    mutation,
  )
  if (altered === 0)
    return `the mutant "${mutation.name}" has altered no statement: its text no longer exists`
  if (detections.has(mutation.detectedBy)) return undefined
  const instead = [...detections].map(([fault, detail]) => `${fault}: ${detail}`).join('; ')
  return `the mutant "${mutation.name}" was not detected by: ${mutation.detectedBy}, but by: ${instead || 'nothing'}`
}

function evaluate(run: {
  readonly clean: number
  readonly killed: number
  readonly faults: string[]
}): RunResult {
  const { clean, killed, faults } = run
  return resultOf({ counts: { 'clean runs': clean, killed }, faults })
}

import { mutations } from '../mutants/mutations.ts'
import { type Edit, type Mutation, mutate } from '../mutants/mutation.ts'
import { play } from '../mutants/play.ts'
import { type Scenario, type ScenarioContext, type Verdict, verdictOf } from './scenario.ts'

/** So many plays without a defect for each play with one: 20 in the full run. */
const cleanShare = 0.6

/**
 * The checker is shown statements with a defect, and has to find out each of them by the fault that it makes; shown
 * the statements as they are, it has to find nothing.
 */
export const mutants: Scenario = {
  number: 1,
  name: 'mutants',
  law: 'the checker can fail',
  counted: 'mutants',
  full: { jobs: 0, count: mutations.length, minutesMax: 25 },
  reduced: { jobs: 0, count: 3, minutesMax: 10 },
  run: async (context) => {
    const chosen = choose(context)
    const faults: string[] = []
    let clean = 0
    for (; clean < chosen.length * cleanShare; clean += 1) {
      const draws = context.random.fork(`clean ${clean}`)
      const { found, statements } = await play({ ...context, random: draws }, undefined)
      faults.push(...[...found].map(([sign, detail]) => `false alarm: ${sign}: ${detail}`))
      if (clean === 0) faults.push(...staleMutants([...statements]))
      context.progress(`${clean + 1} plays without a defect`)
    }
    let killed = 0
    for (const mutation of chosen) {
      const survival = await survivalOf(mutation, context)
      if (survival === undefined) killed += 1
      else faults.push(survival)
      context.progress(`${killed} of ${chosen.length} mutants killed`)
    }
    return verdict({ clean, killed, faults })
  },
}

/** Mutants whose text is in none of these statements any more: they would all come to notice in a full run only. */
function staleMutants(statements: readonly string[]): string[] {
  const isStale = (edit: Edit): boolean => statements.every((text) => mutate(text, [edit]) === undefined)
  return mutations
    .filter(({ edits }) => edits.some(isStale))
    .map(({ name }) => `the text that the mutant "${name}" alters is in no statement any more`)
}

/** As many mutants as the scenario is to have, drawn from all of them. */
function choose({ size, random }: ScenarioContext): Mutation[] {
  const draw = random.fork('mutants')
  return mutations
    .map((mutation) => ({ mutation, at: draw.next() }))
    .sort((a, b) => a.at - b.at)
    .slice(0, size.count)
    .map(({ mutation }) => mutation)
}

/** Why this mutant was not killed; undefined when it was. */
async function survivalOf(mutation: Mutation, context: ScenarioContext): Promise<string | undefined> {
  const { found, altered } = await play({ ...context, random: context.random.fork(mutation.name) }, mutation)
  if (altered === 0)
    return `the mutant "${mutation.name}" has altered no statement: its text is not there any more`
  if (found.has(mutation.shownBy)) return undefined
  const instead = [...found].map(([sign, detail]) => `${sign}: ${detail}`).join('; ')
  return `the mutant "${mutation.name}" was not found out by: ${mutation.shownBy}, but by: ${instead || 'nothing'}`
}

function verdict(run: {
  readonly clean: number
  readonly killed: number
  readonly faults: string[]
}): Verdict {
  const { clean, killed, faults } = run
  return verdictOf({ counts: { 'clean plays': clean, killed }, faults })
}

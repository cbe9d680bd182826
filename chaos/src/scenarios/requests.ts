import { findBrokenInvariants, type TestDatabase } from '@queue/testing'
import { deadlocks } from '../checker/check-limits.ts'
import { deletedDeadLetters } from '../checker/deleted-dead-letters.ts'
import { type Attack, openAttack } from '../requests/attack.ts'
import { type CheckedApi, startCheckedApi } from '../requests/checked-api.ts'
import { attackEntityTags } from '../requests/entity-tags.ts'
import { sendGenerated } from '../requests/generated.ts'
import { attackKeys } from '../requests/keys.ts'
import { attackPartialChanges } from '../requests/partial-changes.ts'
import { registerKinds } from '../requests/subjects.ts'
import { attackWalks } from '../requests/walks.ts'
import { tooFewReason } from '../run/conclude.ts'
import { withWorld } from '../run/world.ts'
import { resultOf, type RunResult, type Scenario, type ScenarioContext } from './scenario.ts'

const faultsMax = 30

/** The attacks in their order, each with its share of the requests. The last one stops the processes. */
const attacks: readonly (readonly [name: string, share: number, run: (attack: Attack) => Promise<void>])[] = [
  ['generated', 0.38, sendGenerated],
  ['partial changes', 0.25, attackPartialChanges],
  ['entity tags', 0.1, attackEntityTags],
  ['walks', 0.17, attackWalks],
  ['keys', 0.1, attackKeys],
]

/**
 * Callers of two API processes send requests that are made from the document, valid and not. They walk lists, change the same
 * things, and share entity tags and idempotency keys. Connections are cut, and processes killed.
 */
export const requests: Scenario = {
  number: 40,
  name: 'requests',
  law: 'every answer is as the document says, what was answered holds afterwards, and a walk sees each item once',
  counted: 'requests',
  full: { jobs: 0, count: 24_000, minutesMax: 30 },
  reduced: { jobs: 0, count: 500, minutesMax: 10 },
  run: (context) =>
    withWorld(context, { name: 'requests' }, async ({ database }) => {
      const env = {
        DATABASE_URL: database.urlAs('api'),
        DATABASE_POOL_MAX: '10',
        API_LINK_SECRET: 'a secret of the fault suite, of 32 letters',
      }
      const api = await startCheckedApi({ env, defect: context.defect })
      try {
        return await attackApi(api, database, context)
      } finally {
        await api.stop()
      }
    }),
}

async function attackApi(
  api: CheckedApi,
  database: TestDatabase,
  context: ScenarioContext,
): Promise<RunResult> {
  const counts = new Map<string, number>()
  const faults: string[] = []
  for (const [name, share, run] of attacks) {
    await registerKinds(api)
    await run(openAttack({ api, database, context, counts, faults }, name, share * context.size.count))
  }
  const countOf = (event: string): number => counts.get(event) ?? 0
  const least = (event: string, min: number) => ({ [event]: { count: countOf(event), min } })
  return resultOf({
    counts: { requests: api.sent, accepted: api.accepted, ...Object.fromEntries(counts) },
    faults: [
      ...api.faults.slice(0, faultsMax),
      ...faults,
      ...(await deadlocks(database)),
      ...(await findBrokenInvariants(database, deletedDeadLetters)),
    ],
    voidBecause: tooFewReason({
      ...least('pairs of changes', context.size.count / 60),
      ...least('changes beside acts', context.size.count / 120),
      ...least('races for a tag', context.size.count / 400),
      ...least('unchanged reads', 1),
      ...least('walks', context.size.count / 700),
      ...least('cut requests', 1),
    }),
  })
}

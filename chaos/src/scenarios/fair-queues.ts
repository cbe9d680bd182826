import { createClient } from '../run/client.ts'
import { conclude, tooFewReason, uncleanEnds } from '../run/conclude.ts'
import { untilDrained } from '../run/drain.ts'
import { withWorld, type World } from '../run/world.ts'
import type { Scenario, ScenarioContext, RunResult } from './scenario.ts'

const handlerMs = 2
const windowMs = 1_000
/** The minimum number of starts of each queue in a window. On a slow machine a window is therefore longer than a second. */
const windowStartsMin = 100
/** The minimum share that a queue gets of what another queue gets in any second of backlog. */
const shareMin = 0.9
/** A tolerance in jobs, because handlers that start at the same time are logged in any order. */
const slack = 3
const batch = 500

interface Case {
  readonly queues: number
  /** Whether jobs have only one attempt (`last`), several, or only one in the first queue (`mixed`). */
  readonly attempts: 'last' | 'several' | 'mixed'
}

const cases: readonly Case[] = [2, 3, 4, 7].flatMap((queues) =>
  (['mixed', 'last', 'several'] as const).map((attempts) => ({ queues, attempts })),
)

/** One worker serves several queues of equal priority with a backlog equally in every second. */
export const fairQueues: Scenario = {
  number: 23,
  name: 'fair-queues',
  law: 'queues of equal priority are served within a tenth of each other in any second of backlog',
  counted: 'cases',
  full: { jobs: 5_000, count: cases.length, minutesMax: 20 },
  reduced: { jobs: 2_400, count: 1, minutesMax: 10 },
  run: async (context) => {
    const counts: Record<string, number> = { cases: context.size.count }
    for (const [index, fairnessCase] of cases.slice(0, context.size.count).entries()) {
      const name = `fair-queues-${fairnessCase.queues}-${fairnessCase.attempts}`
      const result = await serve(context, { ...fairnessCase, name })
      if (result.outcome !== 'held') return result
      for (const [label, count] of Object.entries(result.counts)) counts[`${name} ${label}`] = count
      context.progress(`${index + 1} of ${context.size.count} cases`)
    }
    return { outcome: 'held', counts }
  },
}

async function serve(
  context: ScenarioContext,
  { queues: count, attempts, name }: Case & { readonly name: string },
): Promise<RunResult> {
  const queues = Array.from({ length: count }, (_, index) => `q${index}`)
  const fleet = { queues, concurrency: 4 }
  return withWorld(context, { name, fleet }, async (world) => {
    const each = Math.ceil(context.size.jobs / count)
    for (const [index, queue] of queues.entries()) {
      const isLast = attempts === 'last' || (attempts === 'mixed' && index === 0)
      await enqueue(world, { queue, count: each, maxAttempts: isLast ? 1 : 3 })
    }
    await world.fleet.start(1)
    await untilDrained(world.database, context)
    const unclean = uncleanEnds(await world.fleet.stop())
    const { windows, worst, faults } = evaluate(await startsOf(world), queues)
    return conclude(world, {
      faults: [...unclean, ...faults.map((fault) => `${name}: ${fault}`)],
      counts: () => ({ windows, 'worst share in %': Math.round(worst * 100) }),
      voidBecause: () => tooFewReason({ 'seconds of backlog': { count: windows, min: each / 4 } }),
    })
  })
}

interface QueueJobs {
  readonly queue: string
  readonly count: number
  readonly maxAttempts: number
}

async function enqueue(
  { database, history }: World,
  { queue, count, maxAttempts }: QueueJobs,
): Promise<void> {
  const client = createClient(database.queue, history)
  for (let start = 0; start < count; start += batch) {
    const ids = await client.enqueue(
      Array.from({ length: Math.min(batch, count - start) }, (_, n) => ({
        key: `${queue} ${start + n}`,
        plan: 'succeed' as const,
        ms: handlerMs,
        options: { queue, maxAttempts },
      })),
    )
    if (ids === undefined) throw new Error('the jobs of a queue could not be enqueued')
  }
}

interface Start {
  readonly queue: string
  readonly ms: number
}

async function startsOf({ database }: World): Promise<Start[]> {
  const { rows } = await database.pool.query<Start>(
    `SELECT j.queue, extract(epoch FROM e.at)::float8 * 1000 AS ms
       FROM chaos.effects AS e JOIN "${database.schema}".all_jobs AS j ON j.id = e.job_id
      WHERE e.phase = 'begun' ORDER BY e.at, e.seq`,
  )
  return rows
}

interface FairnessResult {
  readonly windows: number
  /** The smallest share that a queue got. */
  readonly worst: number
  readonly faults: readonly string[]
}

/** Checks the second after each start, as long as every queue has jobs left. */
function evaluate(starts: readonly Start[], queues: readonly string[]): FairnessResult {
  const end = Math.min(...queues.map((queue) => starts.findLastIndex((start) => start.queue === queue)))
  const counts = new Map(queues.map((queue) => [queue, 0]))
  const add = ({ queue }: Start, change: 1 | -1): void =>
    void counts.set(queue, (counts.get(queue) ?? 0) + change)
  let windows = 0
  let worst = 1
  let to = 0
  const faults: string[] = []
  for (const [index, from] of starts.entries()) {
    const toMin = index + windowStartsMin * queues.length
    for (; to <= end; to += 1) {
      const next = starts[to] ?? from
      if (to >= toMin && next.ms >= from.ms + windowMs) break
      add(next, 1)
    }
    if (to > end) break
    const [least, most] = [Math.min(...counts.values()), Math.max(...counts.values())]
    windows += 1
    worst = Math.min(worst, least / most)
    if (most - least > slack && least < shareMin * most)
      faults.push(`${least} jobs of one queue in a second, ${most} of another`)
    add(from, -1)
  }
  return { windows, worst, faults: faults.slice(0, 3) }
}

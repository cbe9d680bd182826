import { createClient } from '../run/client.ts'
import { conclude, tooSeldom, uncleanEnds } from '../run/conclude.ts'
import { drained } from '../run/drain.ts'
import { withWorld, type World } from '../run/world.ts'
import type { Scenario, ScenarioContext, Verdict } from './scenario.ts'

const handlerMs = 2
const windowMs = 1_000
/** On a slow machine a window is longer than a second: a tenth of fewer starts of each queue would be chance. */
const windowStartsMin = 100
/** The least that a queue may have got of what another one got in any second of backlog. */
const shareMin = 0.9
/** Handlers that begin at once are noted in any order: of a few jobs a tenth is less than that. */
const slack = 3
const batch = 500

interface Case {
  readonly queues: number
  /** Which attempts the jobs are on: the last, of several, or the last in the first queue only. */
  readonly attempts: 'last' | 'several' | 'mixed'
}

const cases: readonly Case[] = [2, 3, 4, 7].flatMap((queues) =>
  (['mixed', 'last', 'several'] as const).map((attempts) => ({ queues, attempts })),
)

/** One worker with several queues of equal priority, all of which have a backlog, serves them alike in every second. */
export const fairQueues: Scenario = {
  number: 23,
  name: 'fair-queues',
  law: 'queues of equal priority are served within a tenth of each other in any second of backlog',
  counted: 'cases',
  full: { jobs: 5_000, count: cases.length, minutesMax: 20 },
  reduced: { jobs: 2_400, count: 1, minutesMax: 10 },
  run: async (context) => {
    const counts: Record<string, number> = { cases: context.size.count }
    for (const [index, one] of cases.slice(0, context.size.count).entries()) {
      const name = `fair-queues-${one.queues}-${one.attempts}`
      const verdict = await serve(context, { ...one, name })
      if (verdict.outcome !== 'held') return verdict
      for (const [what, count] of Object.entries(verdict.counts)) counts[`${name} ${what}`] = count
      context.progress(`${index + 1} of ${context.size.count} cases`)
    }
    return { outcome: 'held', counts }
  },
}

async function serve(
  context: ScenarioContext,
  { queues: count, attempts, name }: Case & { readonly name: string },
): Promise<Verdict> {
  const queues = Array.from({ length: count }, (_, index) => `q${index}`)
  const fleet = { queues, concurrency: 4 }
  return withWorld(context, { name, fleet }, async (world) => {
    const each = Math.ceil(context.size.jobs / count)
    for (const [index, queue] of queues.entries()) {
      const isLast = attempts === 'last' || (attempts === 'mixed' && index === 0)
      await enqueue(world, { queue, count: each, maxAttempts: isLast ? 1 : 3 })
    }
    await world.fleet.start(1)
    await drained(world.database, context)
    const unclean = uncleanEnds(await world.fleet.stop())
    const { windows, worst, faults } = judge(await startsOf(world), queues)
    return conclude(world, {
      faults: [...unclean, ...faults.map((fault) => `${name}: ${fault}`)],
      counts: () => ({ windows, 'worst share in %': Math.round(worst * 100) }),
      voidBecause: () => tooSeldom({ 'seconds of backlog': { seen: windows, min: each / 4 } }),
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
       FROM chaos.effects AS e JOIN "${database.schema}".jobs AS j ON j.id = e.job_id
      WHERE e.phase = 'begun' ORDER BY e.at, e.seq`,
  )
  return rows
}

interface Judged {
  readonly windows: number
  /** The worst share that a queue got. */
  readonly worst: number
  readonly faults: readonly string[]
}

/** Judges the second that follows each start, as long as every queue has jobs left. */
function judge(starts: readonly Start[], queues: readonly string[]): Judged {
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

// Lists that are walked by their cursors while others insert, change and remove: what was there all along is seen once.
import { carryOutOperation, databaseOf } from '@queue/core/internal'
import type { Random } from '../nemesis/random.ts'
import type { Attack } from './attack.ts'
import type { Members } from './checked-api.ts'
import { type Failures, openFailures } from './failing-jobs.ts'
import { createJob, expectSuccess, scheduleMembers } from './subjects.ts'
import { fillLists, present, type WalkedList } from './walked-lists.ts'

const walkersAtOnce = 4
const pageMax = 5
const pagesMax = 5_000

export async function attackWalks(attack: Attack): Promise<void> {
  const { rounds, random, database } = attack
  const failures = await openFailures(attack.database)
  try {
    const lists = await fillLists(attack, failures)
    const writers = createWriters(attack, lists, failures)
    await rounds(walkersAtOnce, async (n, draws) => {
      const list = lists[n % lists.length] ?? random.pick(lists)
      let isOver = false
      const write = async (): Promise<void> => {
        for (let act = 0; !isOver; act += 1) await draws.pick(writers)(`${n}-${act}`, draws)
      }
      const walking = walk(attack, list, draws).finally(() => (isOver = true))
      await Promise.all([walking, write()])
      while ((await carryOutOperation(databaseOf(database.queue))) !== undefined);
    })
  } finally {
    await failures.close()
  }
}

async function walk({ api, report, count }: Attack, list: WalkedList, random: Random): Promise<void> {
  const filter = drawFilter(list, random)
  const expected = [...list.items].flatMap(([key, values]) =>
    Object.entries(filter).every(([name, value]) => !(name in values) || values[name] === value) ? [key] : [],
  )
  const seen = new Map<string, number>()
  let cursor: string | null = ''
  for (let pages = 0; cursor !== null && pages < pagesMax; pages += 1) {
    const page = {
      ...filter,
      limit: String(random.between(1, list.pageMax ?? pageMax)),
      ...(cursor !== '' && { cursor }),
    }
    const target = `${list.path}?${new URLSearchParams(page).toString()}`
    const body = await expectSuccess(api, { method: 'GET', target, process: random.between(0, 1) })
    for (const item of body['data'] as readonly Members[]) {
      const key = list.keyOf(item)
      seen.set(key, (seen.get(key) ?? 0) + 1)
    }
    cursor = body['next_cursor'] as string | null
  }
  const where = `${list.path} by ${JSON.stringify(filter)}`
  for (const key of expected) if (!seen.has(key)) report(`${where} has left out ${key}`)
  for (const [key, times] of seen) if (times > 1) report(`${where} has shown ${key} ${times} times`)
  count('walks')
}

/** Some of the filters of the list, each with one of its values. */
function drawFilter({ filters }: WalkedList, random: Random): Record<string, string> {
  const drawn = Object.entries(filters).filter(() => random.chance(0.4))
  return Object.fromEntries(drawn.map(([name, values]) => [name, random.pick(values)]))
}

type Writer = (name: string, random: Random) => Promise<void>

/** What changes the lists meanwhile. What is there all along changes too, but for what selects it. */
function createWriters(
  { api }: Attack,
  [jobs]: readonly WalkedList[],
  failures: Failures,
): readonly Writer[] {
  const ids = [...(jobs?.items.keys() ?? [])]
  const walked = (random: Random): string => `walked-${random.between(0, present - 1)}`
  const send = (method: string, target: string, body?: object): Promise<Members> =>
    expectSuccess(api, {
      method,
      target,
      body,
      headers: target.startsWith('/limits') ? {} : { 'if-match': '*' },
    })
  return [
    async (_name, random) => {
      await send('PATCH', `/jobs/${random.pick(ids)}`, { weight: random.between(1, 99) })
      await send('PATCH', `/schedules/${walked(random)}`, { weight: random.between(1, 99) })
    },
    async (name, random) => {
      const limit = { queue: `walked-${name}`, scope: 'queue', max_running: random.between(1, 9) }
      await send('PUT', '/limits', limit)
      await send('DELETE', `/limits?queue=${limit.queue}&scope=queue`)
    },
    async (name) => {
      await send('POST', '/schedules', { name: `walked-x${name}`, ...scheduleMembers })
      await send('DELETE', `/schedules/walked-x${name}`)
    },
    async (_name, random) => {
      const { target } = await createJob(api, random, { tenant_id: `t${random.between(0, 2)}`, key: 'k0' })
      await send('POST', `${target}/cancel`)
      await send('POST', '/jobs/delete', { filter: { tenant: 't0', status: 'cancelled' } })
    },
    async () => {
      const [id] = await failures.fail(1)
      await send('POST', `/jobs/${id}/requeue`)
    },
  ]
}

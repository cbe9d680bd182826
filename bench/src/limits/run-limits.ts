import { migrateUp } from '@queue/core'
import { createTestDatabases } from '@queue/dev-postgres'
import { median } from '../median.ts'
import { type BehindFigures, type BehindName, measureBehind } from './behind.ts'
import { drainCases, type DrainName, measureDrain } from './drain.ts'
import { measureRate, measureSlots, type RateFigures, type SlotsFigures } from './held-back.ts'

export interface LimitsOptions {
  readonly serverUrl: string
  /** Jobs of each drain. */
  readonly count: number
  /** How much waits behind full keys, relative to the full run. */
  readonly scale: number
  /** Claims of each situation. */
  readonly claims: number
  /** For how long jobs are held back by a rate, and by slots. */
  readonly seconds: number
  readonly rounds: number
  readonly onStep: (step: string) => void
}

export interface LimitsFigures {
  /** Jobs per second, medians of the rounds. */
  readonly drain: Readonly<Record<DrainName, number>>
  /** Milliseconds. */
  readonly claim: BehindFigures
  readonly rate: Readonly<Record<RuleName, RateFigures>>
  readonly slots: Readonly<Record<RuleName, SlotsFigures>>
}

type RuleName = (typeof rules)[number]['name']

const rules = [
  { name: 'queue', rule: { scope: 'queue' } },
  { name: 'one key', rule: { scope: 'each_key' } },
] as const

/** What limits cost: each figure beside that of the unlimited or empty queue, in one run. */
export async function runLimits(options: LimitsOptions): Promise<LimitsFigures> {
  const databases = createTestDatabases({
    serverUrl: options.serverUrl,
    templateKey: `limits ${process.pid}`,
    prepareTemplate: async (connectionString) => void (await migrateUp({ connectionString })),
  })
  const { seconds, claims, scale, onStep } = options
  const rate = {} as Record<RuleName, RateFigures>
  const slots = {} as Record<RuleName, SlotsFigures>
  try {
    const drain = await measureDrains(databases, options)
    const claim = await measureBehind({ databases, scale, rounds: claims, onStep })
    for (const { name, rule } of rules) {
      onStep(`limits: a rate, and slots, of ${name}`)
      rate[name] = await measureRate({ databases, seconds }, rule)
      slots[name] = await measureSlots({ databases, seconds }, rule)
    }
    return { drain, claim, rate, slots }
  } finally {
    await databases.dropAll()
  }
}

async function measureDrains(
  databases: ReturnType<typeof createTestDatabases>,
  { count, rounds, onStep }: LimitsOptions,
): Promise<LimitsFigures['drain']> {
  const results = drainCases.map(({ name }) => ({ name, rates: [] as number[] }))
  for (let round = 1; round <= rounds; round += 1) {
    for (const [index, one] of drainCases.entries()) {
      onStep(`limits, round ${round} of ${rounds}: drain, ${one.name}`)
      results[index]?.rates.push(await measureDrain(databases, one, count))
    }
  }
  return Object.fromEntries(results.map(({ name, rates }) => [name, median(rates)])) as LimitsFigures['drain']
}

/** What each claim is compared with. */
const claimBases: Readonly<Partial<Record<BehindName, BehindName>>> = {
  'behind a full key': 'empty, 1 key',
  'behind many full keys': 'empty, 1 key',
  'held snapshot, 1 key': 'empty, 1 key',
  'held snapshot, 100 keys': 'empty, 100 keys',
  'idle, many keys done': 'idle, no keys ever',
  'idle, behind many full keys': 'idle, no keys ever',
}

/** How many times as fast as the unlimited queue a drain is, and how many times as long as in an empty queue a claim takes. */
export function limitsRatios({
  drain,
  claim,
}: Pick<LimitsFigures, 'drain' | 'claim'>): Record<string, number> {
  const base = drain['no limit, no keys']
  const drains = drainCases.slice(1).map(({ name }) => [`limits drain, ${name}`, drain[name] / base] as const)
  const claims = Object.entries(claimBases).map(
    ([name, of]) => [`limits claim, ${name}`, claim[name as BehindName] / claim[of]] as const,
  )
  return Object.fromEntries([...drains, ...claims])
}

/** The figures and ratios as lines. */
export function renderLimits(figures: LimitsFigures): string {
  const ratios = Object.entries(limitsRatios(figures)).map(
    ([name, ratio]) => `  ${name}: ${ratio.toFixed(2)}×`,
  )
  const drains = drainCases.map(
    ({ name }) => `  ${`drain, ${name}`.padEnd(38)}${String(Math.round(figures.drain[name]))} jobs/s`,
  )
  const claims = Object.entries(figures.claim).map(
    ([name, ms]) => `  ${`claim, ${name}`.padEnd(38)}${ms.toFixed(2)} ms`,
  )
  const held = rules.flatMap(({ name }) => {
    const { starts, used, excess } = figures.rate[name]
    const slots = figures.slots[name]
    return [
      `  ${`rate, ${name}`.padEnd(38)}${starts} starts, ${used.toFixed(3)} used, ${excess.toFixed(1)} above the law`,
      `  ${`10 slots, ${name}`.padEnd(38)}${slots.used.toFixed(3)} used, ${slots.most} at most`,
    ]
  })
  return `${['limits', ...drains, ...claims, ...held, ...ratios].join('\n')}\n`
}

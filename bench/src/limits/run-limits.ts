import { migrateUp } from '@queue/core'
import { createTestDatabases } from '@queue/dev-postgres'
import { median } from '../median.ts'
import { type BehindFigures, type BehindName, measureBehind } from './behind.ts'
import { drainCases, type DrainName, measureDrain } from './drain.ts'
import { measureRate, measureSlots, type RateFigures, type SlotsFigures } from './held-back.ts'

export interface LimitsOptions {
  readonly serverUrl: string
  /** The number of jobs of each drain. */
  readonly count: number
  /** The number of jobs that wait behind full keys, relative to the full run. */
  readonly scale: number
  /** The number of claims in each situation. */
  readonly claims: number
  /** How long jobs run under a rate limit, and under a limit of running jobs. */
  readonly seconds: number
  readonly rounds: number
  readonly onStep: (step: string) => void
}

export interface LimitsFigures {
  /** Jobs per second: medians of the rounds. */
  readonly drain: Readonly<Record<DrainName, number>>
  /** In milliseconds. */
  readonly claim: BehindFigures
  readonly rate: Readonly<Record<RuleName, RateFigures>>
  readonly slots: Readonly<Record<RuleName, SlotsFigures>>
}

type RuleName = (typeof rules)[number]['name']

const rules = [
  { name: 'queue', rule: { scope: 'queue' } },
  { name: 'one key', rule: { scope: 'each_key' } },
] as const

/** Measures the cost of limits, compared with an unlimited or empty queue in the same run. */
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
      onStep(`limits: a rate limit and a limit of running jobs for ${name}`)
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
    for (const [index, drainCase] of drainCases.entries()) {
      onStep(`limits, round ${round} of ${rounds}: drain, ${drainCase.name}`)
      results[index]?.rates.push(await measureDrain(databases, drainCase, count))
    }
  }
  return Object.fromEntries(results.map(({ name, rates }) => [name, median(rates)])) as LimitsFigures['drain']
}

/** The situation with which each situation is compared. */
const claimBases: Readonly<Partial<Record<BehindName, BehindName>>> = {
  'behind a full key': 'empty, 1 key',
  'behind many full keys': 'empty, 1 key',
  'held snapshot, 1 key': 'empty, 1 key',
  'held snapshot, 100 keys': 'empty, 100 keys',
  'idle, many keys done': 'idle, no keys ever',
  'idle, behind many full keys': 'idle, no keys ever',
}

/** The rate of each drain relative to the unlimited queue, and the duration of each claim relative to an empty queue. */
export function limitsRatios({
  drain,
  claim,
}: Pick<LimitsFigures, 'drain' | 'claim'>): Record<string, number> {
  const base = drain['no limit, no keys']
  const drains = drainCases.slice(1).map(({ name }) => [`limits drain, ${name}`, drain[name] / base] as const)
  const claims = Object.entries(claimBases).map(
    ([name, baseName]) => [`limits claim, ${name}`, claim[name as BehindName] / claim[baseName]] as const,
  )
  return Object.fromEntries([...drains, ...claims])
}

/** Renders the figures and ratios as text. */
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
  const limited = rules.flatMap(({ name }) => {
    const { starts, used, excess } = figures.rate[name]
    const slots = figures.slots[name]
    return [
      `  ${`rate, ${name}`.padEnd(38)}${starts} starts, ${used.toFixed(3)} used, ${excess.toFixed(1)} above the limit`,
      `  ${`10 slots, ${name}`.padEnd(38)}${slots.used.toFixed(3)} used, ${slots.most} at most`,
    ]
  })
  return `${['limits', ...drains, ...claims, ...limited, ...ratios].join('\n')}\n`
}

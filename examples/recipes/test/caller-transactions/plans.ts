import fc from 'fast-check'

/** One call in a transaction, beside others. */
export type Call =
  /** A row of the caller's own. */
  | { readonly type: 'row' }
  | { readonly type: 'job' }
  /** Several jobs in one call, of which the last may have the idempotency key. */
  | { readonly type: 'many'; readonly count: number; readonly key: string | undefined }
  | { readonly type: 'keyed'; readonly key: string; readonly differs: boolean; readonly reject: boolean }
  | { readonly type: 'unique'; readonly key: string; readonly onConflict: OnConflict }
  /** A job whose payload is not valid. */
  | { readonly type: 'invalid' }
  /** A job for a queue that accepts no more. */
  | { readonly type: 'full' }

export type OnConflict = 'return' | 'refuse' | 'replace' | 'reschedule'

/** Calls that are made side by side. `undone`: the caller then rolls back to its savepoint from before them. */
export interface Round {
  readonly calls: readonly Call[]
  readonly savepoint: 'none' | 'released' | 'undone'
}

export interface Plan {
  readonly rounds: readonly Round[]
  /** `killed`: its backend is ended amid the last round. `cut`: at its commit, so nobody knows whether it has committed. */
  readonly end: 'commit' | 'rollback' | 'killed' | 'cut'
}

/** A call before its key is known: how far its key is from the one before it. */
type Draft = { readonly step: number } & (
  | Exclude<Call, { readonly key: unknown }>
  | { readonly type: 'many'; readonly count: number; readonly isKeyed: boolean }
  | { readonly type: 'keyed'; readonly differs: boolean; readonly reject: boolean }
  | { readonly type: 'unique'; readonly onConflict: OnConflict }
)

const anyStep = fc.nat({ max: 2 })
const draft: fc.Arbitrary<Draft> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant('row'), step: anyStep }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('job'), step: anyStep }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('many'),
      step: anyStep,
      count: fc.integer({ min: 2, max: 4 }),
      isKeyed: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('keyed'),
      step: anyStep,
      differs: fc.boolean(),
      reject: fc.boolean(),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant('unique'),
      step: anyStep,
      onConflict: fc.constantFrom('return', 'refuse', 'replace', 'reschedule'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constantFrom('invalid', 'full'), step: anyStep }) },
)

const drafts = fc.record({
  rounds: fc.array(
    fc.record({
      calls: fc.array(draft, { minLength: 1, maxLength: 8 }),
      savepoint: fc.constantFrom('none', 'none', 'none', 'released', 'undone'),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  end: fc.constantFrom(
    'commit',
    'commit',
    'commit',
    'commit',
    'commit',
    'rollback',
    'rollback',
    'killed',
    'cut',
  ),
  firstKey: fc.nat({ max: 3 }),
} as const)

/** So many transactions in a row want the same keys. */
const transactionsPerEpoch = 12

/** The plans of so many transactions. Those that run at the same time want the same few keys. */
export function plansOf(count: number, seed: number): Plan[] {
  return fc.sample(drafts, { numRuns: count, seed }).map(({ rounds, end, firstKey }, index) => {
    const keys = ascendingKeys(`${Math.floor(index / transactionsPerEpoch)}`, firstKey)
    return {
      end,
      rounds: rounds.map(({ calls, savepoint }) => ({
        savepoint,
        calls: calls.map((call) => withKey(call, keys)),
      })),
    }
  })
}

type Keys = (type: 'idempotency' | 'unique', step: number) => string

/**
 * The keys of one transaction, in ascending order and each of one kind only, as a caller must take them so that two transactions
 * do not wait for each other.
 */
function ascendingKeys(epoch: string, first: number): Keys {
  let [number, lastType] = [first, '']
  return (type, step) => {
    number += type === lastType ? step : Math.max(step, 1)
    lastType = type
    return `${epoch}-${number}`
  }
}

function withKey({ step: by, ...call }: Draft, keys: Keys): Call {
  switch (call.type) {
    case 'keyed':
      return { ...call, key: keys('idempotency', by) }
    case 'unique':
      return { ...call, key: keys('unique', by) }
    case 'many':
      return {
        type: 'many',
        count: call.count,
        key: call.isKeyed ? keys('idempotency', by) : undefined,
      }
    default:
      return call
  }
}

// The options of a job as the documents describe them: what every way to enqueue takes, and what every one refuses.
import { limits } from '@queue/core'
import type { Random } from '../nemesis/random.ts'

/** Options by their names in the library. */
export type Options = Readonly<Record<string, unknown>>

/** The values of one option. */
interface OptionModel {
  /** Draws one that is taken, often on a bound. `call` is the name of the call, which keys contain. */
  readonly taken: (random: Random, call: string) => unknown
  /** Draws one that is refused, beyond a bound or of another shape. */
  readonly refused: (random: Random) => unknown
}

const hourMs = 3_600_000
/** A character of two UTF-16 units and four bytes. Bounds of texts count it as one. */
const astral = '😀'

/** A text with the name of the call, short or of the greatest length. */
function drawKey(lengthMax: number): OptionModel {
  return {
    taken: (random, call) => (random.chance(0.5) ? call : call + astral.repeat(lengthMax - call.length)),
    refused: (random) => random.pick(['', 'k'.repeat(lengthMax + 1), astral.repeat(lengthMax + 1)]),
  }
}

function drawNumber(min: number, max: number): OptionModel {
  return {
    taken: (random) => random.pick([min, max, random.between(min, max)]),
    refused: (random) => random.pick([min - 1, max + 1]),
  }
}

function membersOf(count: number): Options {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`m${n}`, n]))
}

/** Metadata whose JSON text has this number of bytes. */
function metadataOf(bytes: number): Options {
  return { text: 'x'.repeat(bytes - JSON.stringify({ text: '' }).length) }
}

const { retryBaseMsMax, retryCapMsMax, uniqueKeyLengthMax } = limits

/** Each option that every way to enqueue has. */
export const optionModels = {
  queue: {
    taken: (random) => random.pick(['doors', 'q'.repeat(limits.nameLengthMax), '0_.-']),
    refused: (random) => random.pick(['', 'Doors', '.doors', 'q'.repeat(limits.nameLengthMax + 1)]),
  },
  priority: drawNumber(limits.priorityMin, limits.priorityMax),
  maxAttempts: drawNumber(limits.maxAttemptsMin, limits.maxAttemptsMax),
  timeoutMs: drawNumber(1, limits.timeoutMsMax),
  weight: drawNumber(1, limits.jobWeightMax),
  delayMs: {
    taken: (random) => random.pick([0, hourMs, 9 * hourMs]),
    refused: (random) => random.pick([-1, limits.delayMsMax + 1]),
  },
  runAt: {
    taken: (random) => new Date(random.pick([limits.runAtMsMax, Date.UTC(2100, 0, 1), Date.UTC(2000, 0, 1)])),
    refused: () => new Date(limits.runAtMsMax + 1),
  },
  expiresInMs: {
    taken: (random) => random.pick([10 * hourMs, limits.delayMsMax]),
    refused: (random) => random.pick([0, limits.delayMsMax + 1]),
  },
  idempotencyKey: {
    ...drawKey(limits.idempotencyKeyLengthMax),
    refused: (random) => random.pick(['', 'schedule:mine', 'k'.repeat(limits.idempotencyKeyLengthMax + 1)]),
  },
  tenantId: drawKey(limits.tenantIdLengthMax),
  key: drawKey(limits.keyLengthMax),
  metadata: {
    taken: (random) =>
      random.pick([
        { order_id: 4_711, orderId: '4711', paid: true, 'a.b-c': -0.5 },
        membersOf(limits.metadataMembersMax),
        metadataOf(limits.metadataBytesMax),
      ]),
    refused: (random) =>
      random.pick([
        { '': 1 },
        { 'a b': 1 },
        { order: null },
        { order: [4_711] },
        membersOf(limits.metadataMembersMax + 1),
        metadataOf(limits.metadataBytesMax + 1),
      ]),
  },
  retryPolicy: {
    taken: (random) =>
      random.pick([
        { type: 'fixed', baseMs: random.pick([1, retryBaseMsMax]) },
        { type: 'decorrelated' },
        { type: 'decorrelated', baseMs: 5, capMs: random.pick([5, retryCapMsMax]) },
        { type: 'exponential' },
        { type: 'exponential', jitter: 'proportional' },
        { type: 'exponential', jitter: 'none', baseMs: 20, capMs: 20 },
      ]),
    refused: (random) =>
      random.pick([
        {},
        { type: 'fixed' },
        { type: 'linear', baseMs: 5 },
        { type: 'fixed', baseMs: retryBaseMsMax + 1 },
        { type: 'fixed', baseMs: 5, capMs: 10 },
        { type: 'decorrelated', basMs: 5 },
        { type: 'decorrelated', capMs: retryCapMsMax + 1 },
        { type: 'exponential', baseMs: 20, capMs: 19 },
      ]),
  },
  unique: {
    taken: (random, call) => ({
      key: drawKey(uniqueKeyLengthMax).taken(random, call),
      ...random.pick([
        { scope: 'waiting' },
        { scope: 'live', onConflict: 'refuse' },
        { scope: 'window', windowMs: random.pick([1, limits.retentionMsMax]) },
      ]),
    }),
    refused: (random) => ({
      key: 'refused',
      ...random.pick([
        { scope: 'window' },
        { scope: 'live', windowMs: 5 },
        { scope: 'live', onConflict: 'replace' },
        { scope: 'waiting', maxWaitMs: 5 },
        { scope: 'forever' },
        { scope: 'live', key: '' },
        { scope: 'live', scop: 'live' },
      ]),
    }),
  },
} as const satisfies Readonly<Record<string, OptionModel>>

export type OptionName = keyof typeof optionModels

export const optionNames = Object.keys(optionModels) as readonly OptionName[]

/** The options that a schedule can give its jobs. */
export const scheduleOptionNames: readonly OptionName[] = [
  'queue',
  'priority',
  'maxAttempts',
  'timeoutMs',
  'weight',
  'expiresInMs',
  'key',
  'metadata',
  'retryPolicy',
  'unique',
]

/** Two options of one request that exclude each other, and the one that an error names. */
export const exclusions: readonly {
  readonly options: Options
  readonly named: OptionName
}[] = [
  { options: { runAt: new Date(Date.UTC(2100, 0, 1)), delayMs: hourMs }, named: 'delayMs' },
  { options: { delayMs: hourMs, expiresInMs: hourMs }, named: 'expiresInMs' },
  { options: { runAt: new Date(Date.UTC(2100, 0, 1)), expiresInMs: hourMs }, named: 'expiresInMs' },
]

// Acts on a job whose options are known: what an act is not about stays as it was.
import { isDeepStrictEqual } from 'node:util'
import type { JobEdit, Queue } from '@queue/core'
import { toSnakeCase } from '@queue/core/plain'
import type { Random } from '../nemesis/random.ts'
import type { ApiAnswer, CheckedApi } from '../requests/checked-api.ts'
import { partsOf } from './doors.ts'
import { anyJob, type Document, drawDocument } from './drawn-document.ts'
import { differences, expectedJob, type Members, snakeMembers, wrongInstants } from './expected-job.ts'
import { defaultsOf } from './kinds.ts'
import { optionModels, type OptionName, type Options } from './option-model.ts'

const editable = [
  'priority',
  'maxAttempts',
  'timeoutMs',
  'weight',
  'metadata',
] as const satisfies OptionName[]
const hourMs = 3_600_000
const killShare = 0.1

/** The process of the API that is killed in the midst of some acts. */
export const killed = 1

export interface ActDeps {
  readonly queue: Queue
  readonly api: CheckedApi
  /** Kills that process, and starts another one in its place. */
  readonly kill: () => Promise<void>
}

/** What became of a job. */
export interface ActedOn {
  readonly faults: readonly string[]
  /** The jobs that were made. */
  readonly ids: readonly string[]
}

/**
 * Enqueues a job. At the same time two callers edit another option each, and a third duplicates the job, while the API may be
 * killed. Then the job is moved, cancelled and requeued by its tenant.
 */
export async function actOnJob(deps: ActDeps, random: Random, call: string): Promise<ActedOn> {
  const { queue, api, kill } = deps
  const document = drawWaiting(random, call)
  const { definition, payload, options } = partsOf(document)
  const { id } = (await queue.enqueue(definition, payload, options)).job
  const edits = drawEdits(random)
  const [answer, , copy] = await Promise.all([
    api.trySend({
      method: 'PATCH',
      target: `/jobs/${id}`,
      headers: { 'if-match': '*' },
      body: snakeMembers(edits.overApi),
      process: killed,
    }),
    queue.edit(id, edits.byLibrary),
    api.send({ method: 'POST', target: `/jobs/${id}/duplicate`, process: 0 }),
    random.chance(killShare) ? kill() : undefined,
  ])
  const edited = { ...document.options, ...edits.byLibrary }
  const current = await read(api, id)
  const after = { ...edited, ...appliedEdit(edits.overApi, current.body, answer) }
  const names = Object.keys({ ...edits.overApi, ...edits.byLibrary })
  const job = { call, defaults: defaultsOf(document.kind, call) }
  const faults = [
    ...findChanges(job, { act: 'edits', answer: current, options: after }),
    // A duplicate is made before or after each of the edits.
    ...findChanges(job, {
      act: 'a duplicate',
      answer: copy,
      options: copiedOptions(document.options),
      except: names,
    }),
    ...(await moveByTenant(deps, { ...job, id, options: after })),
  ]
  return { faults, ids: [id, String(copy.body['id'])] }
}

/** A request that is taken, for a job that is not due. Its tenant has no other job. */
function drawWaiting(random: Random, call: string): Document {
  for (let n = 0; ; n += 1) {
    const document = drawDocument(random.fork(`waiting ${n}`), call, anyJob)
    if (document.refusedFor !== undefined || 'runAt' in document.options) continue
    return { ...document, options: { ...document.options, delayMs: hourMs, tenantId: call } }
  }
}

/** Two edits of different options. */
function drawEdits(random: Random): { readonly overApi: JobEdit; readonly byLibrary: JobEdit } {
  const first = random.between(0, editable.length - 1)
  const second = (first + random.between(1, editable.length - 1)) % editable.length
  const edit = (place: number): JobEdit => {
    const option = editable[place] ?? 'priority'
    return { [option]: optionModels[option].taken(random, '') }
  }
  return { overApi: edit(first), byLibrary: edit(second) }
}

/** An edit whose answer was cut off has happened or not. */
function appliedEdit(edit: JobEdit, seen: Members, answer: ApiAnswer | undefined): JobEdit {
  if (answer?.status === 200) return edit
  const hasHappened = Object.entries(snakeMembers(edit)).every(([name, value]) =>
    isDeepStrictEqual(seen[name], value),
  )
  return hasHappened ? edit : {}
}

/** A copy has no key of a request, and is due. */
function copiedOptions(options: Options): Options {
  const { idempotencyKey: _key, unique: _unique, delayMs: _delay, ...copied } = options
  return copied
}

/** A job of which only its options are known. */
interface OptionsJob {
  readonly call: string
  readonly defaults: Options
}

interface SeenAfter {
  readonly act: string
  readonly answer: ApiAnswer
  /** What the job must have after the act. */
  readonly options: Options
  /** Options that are not compared. */
  readonly except?: readonly string[]
}

/** Moves, cancels and requeues a job by its tenant, and compares it after each act. */
async function moveByTenant(
  { queue, api }: ActDeps,
  { id, options, ...job }: OptionsJob & { readonly id: string; readonly options: Options },
): Promise<string[]> {
  const { delayMs: _delay, ...others } = options
  const runAt = new Date(Date.now() + hourMs / 2)
  await queue.many.reschedule({ tenantId: job.call }, { runAt })
  const moved = await read(api, id)
  const filter = { tenant: job.call }
  await api.send({ method: 'POST', target: '/jobs/cancel', body: { filter }, process: 0 })
  const cancelled = await read(api, id)
  await queue.many.requeue({ tenantId: job.call })
  const requeued = await read(api, id)
  return [
    ...findChanges(job, { act: 'a reschedule', answer: moved, options: { ...others, runAt } }),
    ...findChanges(job, { act: 'a cancel', answer: cancelled, options: { ...others, runAt } }),
    ...findChanges(job, { act: 'a requeue', answer: requeued, options: requeuedOptions(others) }),
  ]
}

/** A requeued job no longer holds a key that it held while it waited. */
function requeuedOptions(options: Options): Options {
  const unique = options['unique'] as Options | undefined
  if (unique?.['scope'] !== 'waiting') return options
  return { ...options, unique: { key: unique['key'] } }
}

/** What an act has changed besides what it is about. */
function findChanges(
  { call, defaults }: OptionsJob,
  { act, answer: { status, body }, options, except = [] }: SeenAfter,
): string[] {
  if (status >= 300) return [`${act} of the job of ${call} was answered ${status}: ${JSON.stringify(body)}`]
  const others = except.map((name) => toSnakeCase(name))
  const expected = Object.entries(expectedJob(options, defaults)).filter(([name]) => !others.includes(name))
  return [...differences(body, Object.fromEntries(expected)), ...wrongInstants(body, options)].map(
    (difference) => `after ${act} of the job of ${call}: ${difference}`,
  )
}

function read(api: CheckedApi, id: string): Promise<ApiAnswer> {
  return api.send({ method: 'GET', target: `/jobs/${id}`, process: 0 })
}

// What each function of a queue takes.
import { kindRule } from '../enqueue/enqueue-parameters.ts'
import {
  assertArguments,
  assertOptions,
  either,
  having,
  listOf,
  object,
  oneOf,
  optional,
  type Rule,
  text,
  callback,
  withTexts,
} from '@queue/loop/arguments'
import { type Actor, actorTypes } from '../domain/actor.ts'
import { operationActs } from '../database/operation-tables.ts'
import type { WaitForOptions } from '../reads/wait-for-end.ts'

const id = { id: text }
const name = { name: text }
const filter = { filter: optional(object) }
const query = { query: optional(object) }
const options = optional(object)
const byFilter = { filter: object, options }
const version = (value: unknown) => (Number.isInteger(value) ? undefined : 'a whole number')

const waitParameters = {
  timeoutMs: optional((value) => (typeof value === 'number' && value >= 0 ? undefined : 'a number from 0')),
  signal: optional(having('an AbortSignal', 'throwIfAborted', 'addEventListener')),
} as const satisfies { readonly [Name in keyof WaitForOptions]-?: Rule }

/** Throws `invalid_options` unless these are the options of `waitFor`. */
export function assertWaitOptions(given: WaitForOptions): void {
  assertOptions('queue.waitFor', given, waitParameters)
}

const actorParameters = {
  type: oneOf(actorTypes),
  id: text,
  name: optional(text),
  tenantId: optional(text),
  address: optional(text),
  requestId: optional(text),
  rightsEndAt: optional(having('a Date', 'getTime')),
} as const satisfies { readonly [Name in keyof Actor]-?: Rule }

/** Throws `invalid_options` unless this is who acts. */
export function assertActor(actor: Actor): void {
  assertArguments('queue.actAs', { actor: object }, [actor])
  assertOptions('queue.actAs', actor, actorParameters)
}

export const queueParameters = {
  get: id,
  states: { ids: listOf(text) },
  list: filter,
  executions: id,
  logs: { id: text, filter: optional(object) },
  errors: filter,
  stats: query,
  expectedStart: id,
  why: id,
  waitFor: { job: either(text, withTexts('a job', 'id', 'status')), options },
  attention: {},
  cancel: id,
  requeue: { id: text, options },
  runNow: id,
  duplicate: id,
  edit: { id: text, changes: object, options },
  pause: name,
  resume: name,
  queues: {},
  listQueues: query,
  queueKeys: { name: text, query: optional(object) },
  workers: {},
  checkSchema: {},
  register: { definitions: listOf(kindRule), options },
  deadLetters: {
    list: filter,
    get: id,
    count: { selection: optional(object) },
    requeue: id,
    requeueMany: { selection: object, options },
    delete: id,
  },
  many: {
    cancel: byFilter,
    requeue: byFilter,
    reschedule: { filter: object, options: object },
    undoReschedule: { previous: listOf(object) },
    undoCancel: { cancelled: listOf(object) },
    undoRequeue: { requeued: listOf(object) },
    delete: byFilter,
    erase: byFilter,
    purge: { queue: text, options },
    requeueDeadLetters: { selection: object, options },
    cancelOperation: id,
  },
  operations: {
    get: id,
    list: filter,
    dryRun: { act: oneOf(operationActs), filter: object, options },
    dryRunOfDeadLetters: { selection: object },
  },
  limits: {
    set: { rule: object, options },
    change: { change: object, options },
    delete: { target: object, options },
    get: { target: object },
    list: query,
  },
  schedules: {
    create: { schedule: object },
    update: { name: text, changes: either(object, callback) },
    delete: name,
    pause: name,
    resume: name,
    runNow: { name: text, options },
    sync: { schedules: listOf(object), options: object },
    get: name,
    list: filter,
    preview: { nameOrTiming: either(text, object) },
  },
  keys: { list: {}, revoke: id },
  kinds: {
    register: { registrations: listOf(object), policy: object },
    retire: { kind: text },
    list: { kind: optional(text) },
    countWorkers: { kind: text, versions: listOf(version) },
  },
  audit: { list: filter },
}

// The ways in which a job is enqueued. Each answers what its caller was told of a document.
import { createGroupedEnqueue, type Enqueued, type JobOptions, type Queue, QueueError } from '@queue/core'
import { sqlStateOf } from '@queue/postgres'
import type pg from 'pg'
import { commandOf, commandSpelling, runCommand } from './command-line.ts'
import type { Document } from './drawn-document.ts'
import { defaultsInSql, defaultsOf, type KindName, kinds } from './kinds.ts'
import type { Options } from './option-model.ts'
import {
  libraryOptions,
  librarySpelling,
  snakeSpelling,
  type Spelling,
  sqlSpelling,
  sqlStatement,
  wireOptions,
} from './spelling.ts'

/** What a caller was told: the id of the job, or all that the refusal says. */
export type Answer =
  | { readonly jobId: string; readonly code?: never }
  | { readonly code: string; readonly says: string }

/** A way to enqueue a job. */
export interface Door {
  readonly send: (document: Document) => Promise<Answer>
  readonly spelling: Spelling
  /** The codes of a refusal for an option. */
  readonly codes: readonly string[]
  /** Whether a job without an idempotency key gets one, so that the request can be repeated. */
  readonly makesKeys?: boolean
  /** What this way knows of the defaults of a kind. */
  readonly defaultsOf: (kind: KindName, call: string) => Options
}

export interface DoorDeps {
  readonly queue: Queue
  readonly pool: pg.Pool
  /** Sends a request to the API. */
  readonly request: (method: string, target: string, body: unknown) => Promise<WireAnswer>
  /** Where the command line finds the queue. */
  readonly ways: Readonly<Record<'api' | 'database', () => Readonly<Record<string, string>>>>
}

/** An answer of the API. */
export interface WireAnswer {
  readonly status: number
  readonly body: Options
}

const library = { spelling: librarySpelling, defaultsOf, codes: ['invalid_job', 'invalid_options'] }
const wire = { spelling: snakeSpelling, defaultsOf, codes: ['invalid_job'] }
/** An invalid parameter, and a function without such a parameter. */
const sql = { spelling: sqlSpelling, defaultsOf: defaultsInSql, codes: ['22023', '42883'] }
const command = { spelling: commandSpelling, defaultsOf, codes: ['2'], makesKeys: true }

/** The ways that take any job, by name. */
export function createDoors(deps: DoorDeps): Readonly<Record<string, Door>> {
  const { queue, pool, request } = deps
  const grouped = createGroupedEnqueue(queue)
  return {
    enqueue: { ...library, send: (document) => toldBy(() => enqueueOne(queue, document)) },
    enqueueMany: {
      ...library,
      send: (document) => toldBy(async () => firstOf(await queue.enqueueMany([requestOf(document)]))),
    },
    grouped: {
      ...library,
      send: (document) => {
        const { definition, payload, options } = partsOf(document)
        return toldBy(() => grouped.enqueue(definition, payload, options))
      },
    },
    api: { ...wire, send: async (document) => told(await request('POST', '/jobs', wireJob(document))) },
    batch: {
      ...wire,
      send: async (document) => told(await request('POST', '/jobs/batch', { jobs: [wireJob(document)] })),
    },
    sql: { ...sql, send: (document) => enqueueInSql(pool, document) },
  }
}

/** The ways that start a process for each job. */
export function createCommandDoors({ ways }: DoorDeps): Readonly<Record<string, Door>> {
  const through = (way: keyof typeof ways): Door => ({
    ...command,
    send: (document) => enqueueByCommand(document, ways[way]()),
  })
  return { 'command over the API': through('api'), 'command in the database': through('database') }
}

/** The parts of a document that the library takes. Its types cannot say what the document has. */
export function partsOf(document: Document) {
  return {
    definition: kinds[document.kind] as typeof kinds.plain,
    payload: { text: document.call },
    options: libraryOptions(document) as JobOptions,
  }
}

export function requestOf(document: Document) {
  const { definition, payload, options } = partsOf(document)
  return definition.create(payload, options)
}

export function enqueueOne(queue: Queue, document: Document, transaction?: pg.PoolClient): Promise<Enqueued> {
  const { definition, payload, options } = partsOf(document)
  return queue.enqueue(definition, payload, { ...options, ...(transaction !== undefined && { transaction }) })
}

function wireJob(document: Document): Options {
  return { kind: kinds[document.kind].kind, payload: { text: document.call }, ...wireOptions(document) }
}

function firstOf(enqueued: readonly Enqueued[]): Enqueued {
  const [first] = enqueued
  if (first === undefined) throw new Error('an enqueue of one job has answered none')
  return first
}

/** What the library tells of an enqueue. Rejects for anything but an answer about the options. */
export async function toldBy(enqueue: () => Promise<Enqueued>): Promise<Answer> {
  try {
    return { jobId: (await enqueue()).job.id }
  } catch (error) {
    return refusalOf(error)
  }
}

/** A refusal by the library. Throws any other error. */
export function refusalOf(error: unknown): Answer {
  if (!(error instanceof QueueError)) throw error
  return { code: error.code, says: `${error.message} ${JSON.stringify(error)}` }
}

/** What the API tells: the id of a job, or its problem. */
export function told({ status, body }: WireAnswer): Answer {
  const { id, data, error } = body
  const [first] = (Array.isArray(data) ? data : []) as Options[]
  if (status < 300) return { jobId: String(id ?? first?.['id']) }
  return { code: String(error), says: JSON.stringify(body) }
}

async function enqueueInSql(pool: pg.Pool, document: Document): Promise<Answer> {
  try {
    const { rows } = await pool.query<{ id: string }>(sqlStatement(document, kinds[document.kind].kind))
    return { jobId: rows[0]?.id ?? 'none' }
  } catch (error) {
    return { code: sqlStateOf(error) ?? 'no SQLSTATE', says: String(error) }
  }
}

async function enqueueByCommand(document: Document, env: Readonly<Record<string, string>>): Promise<Answer> {
  const { code, stdout, stderr } = await runCommand(commandOf(document, kinds[document.kind].kind), env)
  if (code !== 0) return { code: String(code), says: stderr }
  const { job } = JSON.parse(stdout) as { readonly job: { readonly id: string } }
  return { jobId: job.id }
}

import { type TestDatabase } from '@queue/testing'
import type { Answer, Door, WireAnswer } from './doors.ts'
import type { Document } from './drawn-document.ts'
import { differences, expectedJob, type Members, membersOfJob, wrongInstants } from './expected-job.ts'
import type { Options } from './option-model.ts'
import { namesInErrors } from './spelling.ts'

/** A job that a caller was told of. */
export interface KnownJob {
  readonly id: string
  /** The way and the call by which it was made. */
  readonly name: string
  readonly options: Options
  readonly defaults: Options
  /** Whether its key is one that nobody has given. */
  readonly hasMadeKey: boolean
}

/** What becomes of the documents that were sent. */
export interface DoorRecord {
  readonly faults: string[]
  readonly known: KnownJob[]
  /** The ids of the jobs that were acted on. */
  readonly acted: string[]
  /** How often something happened, by its name. */
  readonly counts: Map<string, number>
}

export function createDoorRecord(): DoorRecord {
  return { faults: [], known: [], acted: [], counts: new Map() }
}

export function count({ counts }: DoorRecord, event: string): void {
  counts.set(event, (counts.get(event) ?? 0) + 1)
}

/** A document, and the way by which it was sent. */
export interface Sent {
  readonly name: string
  readonly door: Omit<Door, 'send'>
  readonly document: Document
  /** Whether its transaction has rolled it back. */
  readonly isRolledBack?: boolean
}

/** Compares an answer with what the document must get. A job that was taken is known from now on. */
export function recordAnswer(
  record: DoorRecord,
  { name, door, document, isRolledBack = false }: Sent,
  answer: Answer,
): void {
  const { options, refusedFor, call, kind } = document
  const called = `${name} ${call}`
  if (answer.code === undefined) {
    count(record, isRolledBack ? 'rolled back' : 'taken')
    if (refusedFor !== undefined)
      record.faults.push(`${called} has taken ${refusedFor} of ${JSON.stringify(document)}`)
    if (isRolledBack) return
    const hasMadeKey = door.makesKeys === true && options['idempotencyKey'] === undefined
    record.known.push({
      id: answer.jobId,
      name: called,
      options,
      defaults: door.defaultsOf(kind, call),
      hasMadeKey,
    })
    return
  }
  count(record, document.misspelt === undefined ? 'refused' : 'misspelt')
  const { code, says } = answer
  if (refusedFor === undefined)
    record.faults.push(`${called} was refused: ${says}, for ${JSON.stringify(document)}`)
  else if (!door.codes.includes(code)) record.faults.push(`${called} was refused with ${code}: ${says}`)
  else if (!namesInErrors(document, refusedFor, door.spelling).some((written) => says.includes(written)))
    record.faults.push(`${called} was refused for ${refusedFor}, which its error does not name: ${says}`)
}

export interface Readers {
  readonly database: TestDatabase
  readonly request: (method: string, target: string, body?: unknown) => Promise<WireAnswer>
}

/** Compares what the API and the library show of the known jobs with their options. Resolves with the faults. */
export async function checkJobs(
  { database, request }: Readers,
  known: readonly KnownJob[],
): Promise<string[]> {
  const faults = await Promise.all(
    known.map(async ({ id, name, options, defaults, hasMadeKey }) => {
      const job = await database.queue.get(id)
      const { body } = await request('GET', `/jobs/${id}`)
      const seen: readonly [string, Members][] = [
        ['the library', job === undefined ? {} : membersOfJob(job)],
        ['the API', body],
      ]
      const expected = expectedJob(options, defaults)
      const { idempotency_key: _key, ...others } = expected
      return seen.flatMap(([reader, members]) =>
        [...differences(members, hasMadeKey ? others : expected), ...wrongInstants(members, options)].map(
          (difference) => `${reader} shows of the job of ${name}: ${difference}`,
        ),
      )
    }),
  )
  return faults.flat()
}

/** Finds jobs and held keys that no caller was told of: those of refused and of rolled back requests. */
export async function findTraces({ pool }: TestDatabase, { known, acted }: DoorRecord): Promise<string[]> {
  const ids = [...known.map(({ id }) => id), ...acted]
  const { rows } = await pool.query<{ what: string }>(
    `SELECT 'job ' || (payload ->> 'text') AS what FROM queue.jobs WHERE id <> ALL ($1::uuid[])
     UNION ALL SELECT 'held key ' || key FROM queue.job_unique_slots WHERE job_id <> ALL ($1::uuid[])`,
    [ids],
  )
  return rows.map(({ what }) => `nobody was told of ${what}`)
}

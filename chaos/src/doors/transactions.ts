import type pg from 'pg'
import type { Random } from '../nemesis/random.ts'
import { type Answer, type Door, type DoorDeps, enqueueOne, requestOf, toldBy } from './doors.ts'
import type { Document } from './drawn-document.ts'
import { defaultsOf } from './kinds.ts'
import { librarySpelling } from './spelling.ts'

/** The library in a transaction of its caller. */
export const transactionDoor: Omit<Door, 'send'> = {
  spelling: librarySpelling,
  defaultsOf,
  codes: ['invalid_job', 'invalid_options'],
}

export interface TransactionAnswer {
  readonly document: Document
  readonly answer: Answer
  /** Whether the part of the transaction that made it was committed. */
  readonly isCommitted: boolean
}

/**
 * Sends documents side by side in a transaction, in parts behind savepoints. Some parts are rolled back, and so are some
 * transactions as a whole. After a refusal the transaction goes on.
 */
export async function sendInTransaction(
  { pool, queue }: DoorDeps,
  random: Random,
  parts: readonly (readonly Document[])[],
): Promise<readonly TransactionAnswer[]> {
  const client = await pool.connect()
  let isBroken = true
  try {
    await client.query('BEGIN')
    const answered: TransactionAnswer[] = []
    for (const documents of parts) {
      await client.query('SAVEPOINT part')
      const answers = await Promise.all(documents.map((document) => send(queue, document, client)))
      const isKept = random.chance(0.7)
      if (!isKept) await client.query('ROLLBACK TO part')
      answers.forEach((answer, n) =>
        answered.push({ document: documents[n] as Document, answer, isCommitted: isKept }),
      )
    }
    const isCommitted = random.chance(0.7)
    await client.query(isCommitted ? 'COMMIT' : 'ROLLBACK')
    isBroken = false
    return isCommitted ? answered : answered.map((one) => ({ ...one, isCommitted }))
  } finally {
    client.release(isBroken)
  }
}

/** Through `enqueue` or `enqueueMany`, by the name of the call. */
function send(queue: DoorDeps['queue'], document: Document, transaction: pg.PoolClient): Promise<Answer> {
  if (document.call.endsWith('0')) return toldBy(() => enqueueOne(queue, document, transaction))
  return toldBy(async () => {
    const [enqueued] = await queue.enqueueMany([requestOf(document)], { transaction })
    if (enqueued === undefined) throw new Error('an enqueue of one job has answered none')
    return enqueued
  })
}

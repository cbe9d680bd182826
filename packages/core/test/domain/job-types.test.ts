import { expect, test } from '@jest/globals'
import type { Kysely, Transaction } from 'kysely'
import type pg from 'pg'
import { z } from 'zod'
import { type JobRequest, defineJob } from '../../src/domain/job-definition.ts'
import type { Queue } from '../../src/facade/queue.ts'

const sendInvoice = defineJob({
  kind: 'send_invoice',
  payload: z.object({ invoice_id: z.string(), copies: z.int().default(1) }),
})

interface Callers {
  readonly client: pg.Client
  readonly pooled: pg.PoolClient
  readonly pool: pg.Pool
  readonly kysely: Kysely<{ readonly orders: { readonly id: number } }>
  readonly kyselyTransaction: Transaction<{ readonly orders: { readonly id: number } }>
}

/** Never runs: the compiler is the test. Each line marked as an error must be one, or the type check fails. */
export async function checkTypes(queue: Queue, callers: Callers): Promise<void> {
  const invoice = { invoice_id: 'i_1' }
  await queue.enqueue(sendInvoice, invoice, { transaction: callers.client })
  await queue.enqueue(sendInvoice, invoice, { transaction: callers.pooled })
  await queue.enqueue(sendInvoice, invoice, { transaction: callers.kyselyTransaction })
  // @ts-expect-error -- a pool is no transaction: each of its statements may go over another connection.
  await queue.enqueue(sendInvoice, invoice, { transaction: callers.pool })
  // @ts-expect-error -- a Kysely instance is no transaction.
  await queue.enqueue(sendInvoice, invoice, { transaction: callers.kysely })
  // @ts-expect-error -- null is no transaction; leave the option out for an enqueue on its own.
  await queue.enqueue(sendInvoice, invoice, { transaction: null })
  // @ts-expect-error -- nor is an object that cannot send a statement.
  await queue.enqueue(sendInvoice, invoice, { transaction: {} })
  await queue.enqueue(sendInvoice, { invoice_id: 'i_1' })
  await queue.enqueue(sendInvoice, { invoice_id: 'i_1', copies: 2 }, { priority: 1, delayMs: 5 })
  await queue.enqueueMany([sendInvoice.create({ invoice_id: 'i_1' })])
  // @ts-expect-error -- the payload lacks its member.
  await queue.enqueue(sendInvoice, {})
  // @ts-expect-error -- the member has another type.
  await queue.enqueue(sendInvoice, { invoice_id: 7 })
  // @ts-expect-error -- the payload has a member too many.
  await queue.enqueue(sendInvoice, { invoice_id: 'i_1', invoiceId: 'i_1' })
  // @ts-expect-error -- no such option.
  await queue.enqueue(sendInvoice, { invoice_id: 'i_1' }, { prioritty: 1 })
  // @ts-expect-error -- an instant is a Date and not a text.
  await queue.enqueue(sendInvoice, { invoice_id: 'i_1' }, { runAt: '2030-01-01' })
  // @ts-expect-error -- the payload of create is typed too.
  sendInvoice.create({ invoice_id: null })
  // @ts-expect-error -- enqueueMany takes requests and not payloads.
  await queue.enqueueMany([{ invoice_id: 'i_1' }])
  // @ts-expect-error -- a definition needs a payload schema.
  defineJob({ kind: 'nothing' })
  // @ts-expect-error -- no such status.
  await queue.list({ status: 'done' })
}

test('a definition keeps the exact types of kind and payload', () => {
  const kind: 'send_invoice' = sendInvoice.kind
  const parsed: { invoice_id: string; copies: number } = sendInvoice.payload.parse({ invoice_id: 'i_1' })
  const request: JobRequest = sendInvoice.create({ invoice_id: 'i_1' })
  expect([kind, parsed.copies, request.kind]).toEqual(['send_invoice', 1, 'send_invoice'])
})

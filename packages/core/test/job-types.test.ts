import { expect, test } from '@jest/globals'
import { z } from 'zod'
import { defineJob, type JobRequest } from '../src/domain/job-definition.ts'
import type { Queue } from '../src/queue.ts'

const sendInvoice = defineJob({
  kind: 'send_invoice',
  payload: z.object({ invoice_id: z.string(), copies: z.int().default(1) }),
})

/** Never run: the compiler is the test. Each line marked as an error has to be one, or the type check fails. */
export async function onlyCompiled(queue: Queue): Promise<void> {
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

test('the kind and the payload keep their exact types on their way through a definition', () => {
  const kind: 'send_invoice' = sendInvoice.kind
  const parsed: { invoice_id: string; copies: number } = sendInvoice.payload.parse({ invoice_id: 'i_1' })
  const request: JobRequest = sendInvoice.create({ invoice_id: 'i_1' })
  expect([kind, parsed.copies, request.kind]).toEqual(['send_invoice', 1, 'send_invoice'])
})

import { trace } from '@opentelemetry/api'
import { defineJob, type Queue } from '@queue/core'
import { handle } from '@queue/worker'
import { z } from 'zod'

export const greet = defineJob({
  kind: 'greet',
  payload: z.strictObject({ name: z.string() }),
  retryPolicy: { type: 'fixed', baseMs: 1 },
})

export const countGreeting = defineJob({
  kind: 'count_greeting',
  payload: z.strictObject({ length: z.int() }),
})

/** Creates the handlers. They need no tracing code, except for their own spans. The first handler also enqueues another job. */
export function createHandlers(queue: Queue) {
  const tracer = trace.getTracer('example')
  return [
    handle(greet, async ({ payload }, ctx) => {
      if (ctx.attempt === 1) throw new Error('the first attempt fails on purpose, to show a retry')
      const greeting = tracer.startActiveSpan('compose greeting', (span) => {
        span.end()
        return `Hello, ${payload.name}.`
      })
      // With the traced queue, the span of this enqueue is a child of the attempt's. For requests to other services, send
      // `headers: { traceparent: ctx.traceparent }`.
      await queue.enqueue(countGreeting, { length: greeting.length })
      return { greeting, traceparent: ctx.traceparent }
    }),
    handle(countGreeting, ({ payload }) => payload.length),
  ]
}

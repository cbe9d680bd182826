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

/** Handlers know nothing of tracing, but what they do beside: a span of their own, and a job that follows. */
export function createHandlers(queue: Queue) {
  const tracer = trace.getTracer('example')
  return [
    handle(greet, async ({ payload }, ctx) => {
      if (ctx.attempt === 1) throw new Error('the first attempt fails, so that there is a retry to see')
      const greeting = tracer.startActiveSpan('compose greeting', (span) => {
        span.end()
        return `Hello, ${payload.name}.`
      })
      // The traced queue makes this enqueue a child of the attempt. Requests to others get the same by
      // `headers: { traceparent: ctx.traceparent }`.
      await queue.enqueue(countGreeting, { length: greeting.length })
      return { greeting, traceparent: ctx.traceparent }
    }),
    handle(countGreeting, ({ payload }) => payload.length),
  ]
}

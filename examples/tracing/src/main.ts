/** Starts everything, sends one request, and prints the resulting traces. */
import { setTimeout as sleep } from 'node:timers/promises'
import { InMemorySpanExporter } from '@opentelemetry/sdk-trace-node'
import { migrateUp } from '@queue/core'
import { startEmbeddedPostgres } from '@queue/dev-postgres'
import { drawTraces } from './draw-traces.ts'
import { requestGreeting } from './request.ts'
import { registerSdk } from './sdk.ts'
import { startStack } from './stack.ts'

const exporter = new InMemorySpanExporter()
const sdk = registerSdk(exporter)
const server = await startEmbeddedPostgres()
try {
  await migrateUp({ connectionString: server.url })
  const stack = await startStack(server.url)
  const job = await requestGreeting(stack.url, 'Ada')
  // The job that the handler enqueues ends a moment later.
  const endedCount = () =>
    exporter.getFinishedSpans().filter((span) => span.name.startsWith('execute')).length
  for (let tries = 0; endedCount() < 3 && tries < 100; tries += 1) await sleep(50)
  await stack.stop()
  process.stdout.write(`job ${job.id}\n${drawTraces(exporter.getFinishedSpans())}\n`)
} finally {
  await sdk.shutdown()
  await server.stop()
}

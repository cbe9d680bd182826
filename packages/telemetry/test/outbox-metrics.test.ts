import { expect, test } from '@jest/globals'
import { createMetricsRegistry, createOutboxMetrics, observeOutbox, renderMetrics } from '../src/index.ts'

async function scrape(registry: ReturnType<typeof createMetricsRegistry>): Promise<string[]> {
  const { body } = await renderMetrics(registry)
  return body.split('\n').filter((line) => line.startsWith('outbox_') && !/_bucket|_sum/.test(line))
}

test('a relay counts the recorded dispatches by topic', async () => {
  const registry = createMetricsRegistry({ service: 'test' })
  const metrics = createOutboxMetrics(registry)
  for (const outcome of ['delivered', 'failed', 'dead_letter', 'lost'] as const)
    metrics.dispatched({ topic: 'orders', outcome, seconds: 0.1 })
  metrics.deadLettered({ topic: 'orders' })
  metrics.claimed({ messages: 1, seconds: 0.001 })
  metrics.listenerHealthy('healthy')
  expect(await scrape(registry)).toEqual([
    'outbox_delivered_total{topic="orders"} 1',
    'outbox_failed_total{topic="orders"} 2',
    'outbox_dead_letters_total{topic="orders"} 2',
    'outbox_dispatch_seconds_count{topic="orders",outcome="delivered"} 1',
    'outbox_dispatch_seconds_count{topic="orders",outcome="failed"} 1',
    'outbox_dispatch_seconds_count{topic="orders",outcome="dead_letter"} 1',
    'outbox_dispatch_seconds_count{topic="orders",outcome="lost"} 1',
    'outbox_claim_seconds_count 1',
    'outbox_listener_healthy 1',
  ])
})

test('the counters of every topic start at 0, so that the first dead letter is an increase', async () => {
  const registry = createMetricsRegistry({ service: 'test' })
  createOutboxMetrics(registry).topics(['orders', 'mail'])
  expect((await scrape(registry)).filter((line) => line.includes('_total'))).toEqual(
    ['delivered', 'failed', 'dead_letters'].flatMap((what) => [
      `outbox_${what}_total{topic="orders"} 0`,
      `outbox_${what}_total{topic="mail"} 0`,
    ]),
  )
})

test('the backlog of an outbox is read once for several scrapes', async () => {
  const registry = createMetricsRegistry({ service: 'test' })
  let readings = 0
  observeOutbox(registry, {
    read: async () => {
      readings += 1
      return { pending: 7, oldestSeconds: 1.5 }
    },
  })
  expect(await scrape(registry)).toEqual(['outbox_pending 7', 'outbox_oldest_seconds 1.5'])
  await scrape(registry)
  expect(readings).toBe(1)
})

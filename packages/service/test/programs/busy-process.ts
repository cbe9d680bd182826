/** Serves its endpoints, prints their address, and then blocks its event loop forever. */
import { createMetricsRegistry } from '@queue/telemetry'
import { recordLogger } from '@queue/testing'
import { startOpsServer } from '../../src/index.ts'

const { url } = await startOpsServer({
  registry: createMetricsRegistry({ service: 'busy' }),
  readiness: async () => ({
    status: 'ready',
    checks: { process: 'running', database: 'up', schema: 'compatible', writes: 'accepted' },
  }),
  logger: recordLogger(),
  address: { host: '127.0.0.1', port: 0, variable: 'BIND' },
  patienceMs: 100,
})
process.stdout.write(`${url}\n`, () => {
  for (;;) Math.sqrt(2)
})

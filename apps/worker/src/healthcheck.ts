/** Requests /livez, or the given endpoint, from the worker on this machine. Exits with 0 when it is healthy, else with 1. */
import { runHealthCheck } from '@queue/service/health-check'
import { bindAddressDefault } from './bind-address-default.ts'

await runHealthCheck({
  variable: 'WORKER_METRICS_BIND_ADDR',
  addressDefault: bindAddressDefault,
  env: process.env,
  endpoint: process.argv[2] ?? '/livez',
})

/** Asks the worker beside it for /livez, or for the endpoint given, and ends with 0 when it is well, else with 1. */
import { runHealthCheck } from '@queue/service/health-check'
import { bindAddressDefault } from './bind-address-default.ts'

await runHealthCheck({
  variable: 'WORKER_METRICS_BIND_ADDR',
  addressDefault: bindAddressDefault,
  env: process.env,
  endpoint: process.argv[2] ?? '/livez',
})

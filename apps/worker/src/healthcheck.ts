/** Requests /livez, or the endpoint in the first argument, from the worker on this machine. Exits with 0 if healthy, else 1. */
import { runHealthCheck } from '@queue/service/health-check'
import { bindAddressDefault } from './bind-address-default.ts'

await runHealthCheck({
  variable: 'WORKER_METRICS_BIND_ADDR',
  addressDefault: bindAddressDefault,
  env: process.env,
  endpoint: process.argv[2] ?? '/livez',
})

/** Requests /livez, or the endpoint in the first argument, from the worker on this machine. Exits with 0 if healthy, else 1. */
import { runHealthCheck, workerBindAddressDefault } from '@queue/service/health-check'

await runHealthCheck({
  variable: 'WORKER_METRICS_BIND_ADDR',
  addressDefault: workerBindAddressDefault,
  env: process.env,
  endpoint: process.argv[2] ?? '/livez',
})

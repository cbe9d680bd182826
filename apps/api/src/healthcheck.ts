/** Requests /livez, or the given endpoint, of the API on this machine. Exits with 0 if it is healthy, otherwise with 1. */
import { runHealthCheck } from '@queue/service/health-check'
import { opsBindAddressDefault } from './bind-address-default.ts'

await runHealthCheck({
  variable: 'API_OPS_BIND_ADDR',
  addressDefault: opsBindAddressDefault,
  env: process.env,
  endpoint: process.argv[2] ?? '/livez',
})

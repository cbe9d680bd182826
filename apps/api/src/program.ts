import { readVersion } from '@queue/service'
import { configSchema } from './config.ts'

/** How the API presents itself to whoever starts it. */
export const program = {
  name: 'queue-api',
  version: readVersion(new URL('../package.json', import.meta.url)),
  description: 'The HTTP API of the queue: jobs are enqueued, read, listed and cancelled over it.',
  config: configSchema,
}

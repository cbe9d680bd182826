import { readVersion } from '@queue/service'
import { configSchema } from './config.ts'

/** The program as its command line describes it. */
export const program = {
  name: 'queue-api',
  version: readVersion(new URL('../package.json', import.meta.url)),
  description: 'The HTTP API of the queue. Clients enqueue, read, list and cancel jobs over it.',
  config: configSchema,
}

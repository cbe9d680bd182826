import { createProgram, file, text } from '@queue/commands'
import { commands } from './commands/index.ts'

export const program = createProgram({
  name: 'queue',
  summary: 'manage jobs, dead letters, queues, workers and keys, over the API or in the database',
  commands,
  globalOptions: {
    api: text('URL', 'URL of the API; default: QUEUE_API_URL'),
    'key-file': file('file with the API key; default: the key in QUEUE_API_KEY'),
    database: text(
      'URL',
      'URL of the database, used instead of the API, without a password; default: DATABASE_URL',
    ),
    schema: text('NAME', 'database schema of the queue; default: QUEUE_SCHEMA, or queue'),
  },
})

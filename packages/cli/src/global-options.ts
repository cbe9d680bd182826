import { file, flag, text } from './options.ts'

/** The options of every command. */
export const globalOptions = {
  api: text('URL', 'URL of the API; default: QUEUE_API_URL'),
  'key-file': file('file with the API key; default: the key in QUEUE_API_KEY'),
  database: text(
    'URL',
    'URL of the database, used instead of the API, without a password; default: DATABASE_URL',
  ),
  schema: text('NAME', 'database schema of the queue; default: QUEUE_SCHEMA, or queue'),
  json: flag('print JSON'),
  help: flag('show the arguments, options and examples of the command'),
} as const

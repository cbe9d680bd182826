import { file, flag, text } from './options.ts'

/** What every command takes. */
export const globalOptions = {
  api: text('URL', 'the API; default: QUEUE_API_URL'),
  'key-file': file('a file that holds the API key; default: the variable QUEUE_API_KEY'),
  database: text('URL', 'the database instead of the API, without a password; default: DATABASE_URL'),
  schema: text('NAME', 'the schema of the queue in the database; default: QUEUE_SCHEMA, else queue'),
  json: flag('print JSON'),
  help: flag('say what the command takes, with examples'),
} as const

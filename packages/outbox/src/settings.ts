/** The settings of a relay alone: a process that may relay reads them, and loads the relay only when it does. */
export { outboxSchemaDefault } from './database/outbox-database.ts'
export { outboxWorkerConfigSchema } from './worker/config.ts'

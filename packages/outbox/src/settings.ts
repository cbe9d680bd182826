/** Only the settings of a relay, so that a process can read them without loading the relay. */
export { outboxSchemaDefault } from './database/outbox-database.ts'
export { outboxWorkerConfigSchema } from './worker/config.ts'

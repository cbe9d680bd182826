/** A transactional outbox in a service's own database, and the relay that delivers it. */
export { type OutboxProcess, outboxProcesses } from './access/outbox-access.ts'
export { type ConnectedOutbox, outboxSchemaDefault } from './database/outbox-database.ts'
export { DispatchAborted, TargetUnavailable, Undeliverable } from './domain/dispatch-errors.ts'
export * as outboxLimits from './domain/limits.ts'
export type {
  DeadLetterReason,
  ClaimedMessage,
  FailedAttempt,
  MessageRequest,
  StoredMessage,
} from './domain/message.ts'
export {
  defineMessage,
  InvalidMessage,
  type MessageDefinition,
  type MessageOptions,
} from './domain/message-definition.ts'
export { nextRetryDelay, type RetryTiming } from './domain/next-retry-delay.ts'
export {
  applyOutboxRoles,
  checkOutboxSchema,
  migrateOutbox,
  migrateOutboxDown,
  type OutboxMigrateOptions,
  outboxMigrationSet,
  outboxMigrationPlan,
  outboxMigrationStatus,
  outboxRolesPlan,
} from './migrations/index.ts'
export { createOutbox, type Outbox, type OutboxDeadLetters, type PublishTarget } from './outbox.ts'
export type {
  OutboxDeadLetter,
  OutboxDeadLetterFilter,
  OutboxDeadLetterPage,
  OutboxDeadLetterSelection,
} from './reads/dead-letters.ts'
export type { OutboxStats } from './reads/outbox-stats.ts'
export type { ReadMessage } from './targets/read-payload.ts'
export type { DispatchContext, OutboxTarget } from './targets/target.ts'
export { type MessageHandler, onMessage, toHandler } from './targets/to-handler.ts'
export { type ApiJob, type ApiRoute, asApiJob, type JobClient, toHttp } from './targets/to-http.ts'
export { asJob, type JobMapping, type JobRoute, type RoutedJob, toQueue } from './targets/to-queue.ts'
export {
  type OutboxWorkerConfig,
  outboxWorkerConfigSchema,
  type OutboxWorkerSettings,
} from './worker/config.ts'
export { type DispatchOutcome, dispatchOutcomes, type OutboxObserver } from './worker/observer.ts'
export { createOutboxWorker, type OutboxWorker, type OutboxWorkerOptions } from './worker/outbox-worker.ts'

/** The functions and types of the queue for applications. The package's README describes each function. */
export type { Process } from './access/process-roles.ts'
export type { Acts, DeadLetterActs, KeyActs, KindActs } from './acts/acts.ts'
export type { Actor, ActorType, AuditedAct } from './domain/actor.ts'
export type { AuditEntry, AuditFilter, AuditPage } from './audit/list-audit-entries.ts'
export type { MigrateOptions } from './facade/manage-schema.ts'
export {
  migrateDown,
  migrateUp,
  migrationPlan,
  migrationStatus,
} from './facade/manage-schema.ts'
export type {
  CallerTransaction,
  MigrationEvent,
  MigrationPlan,
  MigrationReport,
  MigrationState,
  MigrationStatus,
  PgClient,
  PlannedStatement,
  PlannedStep,
  PlannedUse,
  SchemaVersion,
  TransactionClient,
} from '@queue/postgres'
export type { ConnectOptions } from './database/connect.ts'
export {
  builtInJobs,
  resizeImage,
  sendEmail,
  summarizeText,
  webhookDelivery,
} from './domain/built-in-jobs.ts'
export type { ErrorCode, InputIssue, KindConflict, Mismatch, Refusal } from './domain/errors.ts'
export {
  errorCodes,
  IdempotencyMismatch,
  InvalidInput,
  InvalidTransition,
  KindConflictError,
  QueueError,
  QueueFull,
  UniqueConflict,
} from './domain/errors.ts'
export type { CancelReason, Execution, ExecutionOutcome, Job, JobStatus } from './domain/job.ts'
export type { JobMetadata } from './domain/metadata.ts'
export type { ConflictPolicy, UniqueScope } from './domain/unique.ts'
export { jobStatuses } from './domain/job.ts'
export type { LogLevel, LogLine } from './domain/log-line.ts'
export type { ErrorRange, ErrorsInRange, ErrorTrend, ErrorTrendOfVersion } from './insight/error-trends.ts'
export type { ErrorFilter, ErrorGroup, ErrorPage } from './insight/list-errors.ts'
export type { LogFilter, LogPage } from './insight/list-logs.ts'
export type { Percentiles } from './domain/histogram.ts'
export type { Attention, AttentionCondition } from './insight/attention.ts'
export type { Reason, ReasonCode, ReasonDetails } from './insight/reason.ts'
export type { Why } from './insight/why.ts'
export type { ExpectedStart } from './insight/expected-start.ts'
export type {
  Counts,
  Stats,
  StatsPoint,
  StatsQuery,
  StatsSeries,
  StatsStep,
} from './insight/read-stats.ts'
export type { JobDefinition, JobDefinitionOptions, JobOptions, JobRequest } from './domain/job-definition.ts'
export { defineJob } from './domain/job-definition.ts'
export { upgradeFrom, type UpgradeStep } from './domain/payload-upgrade.ts'
export type { JsonValue } from './domain/json.ts'
export * as limits from './domain/limits.ts'
export type { RetryPolicy, RetryPolicyInput } from './domain/retry.ts'
export { isTerminal } from './domain/transitions.ts'
export type { EnqueueMany, EnqueueTarget } from './enqueue/enqueue.ts'
export type { EnqueueTracing } from './enqueue/enqueue-tracing.ts'
export type {
  EnqueueBounds,
  GroupedEnqueue,
  GroupedEnqueueOptions,
  WaitingCount,
} from './enqueue/grouped-enqueue.ts'
export { createGroupedEnqueue } from './enqueue/grouped-enqueue.ts'
export type { LimitActs, Limits } from './flow/limit-acts.ts'
export type {
  Limit,
  LimitOptions,
  LimitRule,
  LimitScope,
  LimitTarget,
  Rate as LimitRate,
} from './flow/limit-rule.ts'
export type { LimitInUse, LimitPage, LimitQuery } from './flow/list-limits.ts'
export type {
  AuditLog,
  DeadLetters,
  Keys,
  Kinds,
  Queue,
  QueueOptions,
} from './facade/queue.ts'
export type { Scope } from './database/scope.ts'
export { type ScopedQueue, scopeQueue } from './tenants/scoped-queue.ts'
export { createTenantQueues, type TenantQueues, type TenantScope } from './tenants/tenant-queues.ts'
export { createQueue } from './facade/queue.ts'
export type {
  DeadLetter,
  DeadLetterFilter,
  DeadLetterPage,
  DeadLetterSelection,
} from './reads/dead-letters.ts'
export type { KeyBounds } from './access/key-bounds.ts'
export type { KeyRole, Permission } from './access/permissions.ts'
export type { Rate } from './access/rate.ts'
export type { KindDefaults } from './domain/kind-defaults.ts'
export type { KindRegistration, PayloadJsonSchema } from './kinds/kind-registration.ts'
export type { KindInfo } from './kinds/list-kinds.ts'
export type { RegisteredKind } from './kinds/register-kinds.ts'
export type { RegisterOptions, RegisterPolicy } from './kinds/register-policy.ts'
export type { KeyInfo } from './access/list-keys.ts'
export type { JobState } from './reads/job-states.ts'
export { type WaitForOptions, WaitTimeoutError } from './reads/wait-for-end.ts'
export type { WorkerInfo } from './workers/list-workers.ts'
export type { QueueKey, QueueKeys, QueueKeysQuery, QueueKeyState } from './flow/queue-keys.ts'
export type { QueuePage, QueuePageQuery, QueueStats } from './flow/queue-stats.ts'
export type { JobPage, ListFilter } from './reads/list-jobs.ts'
export type { JobFilter, Scanned } from './reads/job-filter.ts'
export type { CancelledJob, PreviousStart, RequeuedJob } from './database/chosen-jobs.ts'
export type { AllOption } from './acts/assert-selects.ts'
export type { ByFilterOptions, DryRun, ManyOptions, ManyResult } from './acts/acts-on-many.ts'
export type { ManyActs, Operations, RescheduleOptions } from './acts/many-acts.ts'
export type { Operation } from './acts/operation-row.ts'
export type { OperationFilter, OperationPage } from './acts/read-operations.ts'
export type { EditedJob, EditOptions, JobEdit } from './acts/edit-job.ts'
export type { CancelResult } from './transitions/cancel-job.ts'
export type { RequeueOptions } from './transitions/requeue-job.ts'
export type { QueueState } from './flow/pause-queue.ts'
export type { Enqueued } from './transitions/enqueue-jobs.ts'
export type {
  NewSchedule,
  ScheduleChanges,
  ScheduledJobOptions,
  ScheduledWork,
  ScheduleTimingOptions,
} from './schedules/definition.ts'
export { scheduledRunOf } from './schedules/job-of-schedule.ts'
export type { SchedulePreview } from './schedules/preview-schedule.ts'
export type { ScheduleFilter, SchedulePage } from './schedules/read-schedules.ts'
export type { RunNowOptions } from './schedules/run-now.ts'
export type { ScheduleChangesOf } from './schedules/update-schedule.ts'
export type { Schedule } from './schedules/schedule-row.ts'
export type { ScheduleActs, Schedules } from './schedules/schedules.ts'
export type { SyncOptions, SyncReport } from './schedules/sync-schedules.ts'

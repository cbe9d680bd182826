/** A typed client of the HTTP API. */
export { ApiError, ForbiddenError, TooManyRequestsError, UnauthorizedError } from './api-error.ts'
export type { EnqueueCallOptions, Enqueued, EnqueuedMany, EnqueueOptions } from './calls/enqueue.ts'
export type { FollowLogsOptions, JobEvent, JobState } from './calls/follow.ts'
export type { RunNowOptions } from './calls/schedules.ts'
export type { WaitForOptions } from './calls/wait-for-end.ts'
export { type Client, createClient } from './client.ts'
export { isEnded, jobStatuses } from './job-status.ts'
export { NetworkError, type NetworkErrorReason } from './network-error.ts'
export type { CallOptions, ClientOptions } from './options.ts'
export { WaitTimeoutError } from './wait-timeout-error.ts'
export type {
  AuditEntry,
  AuditFilter,
  AuditList,
  AuditPageQuery,
  BuiltInKinds,
  CreateJob,
  CreateJobOf,
  CreateSchedule,
  DeadLetter,
  DeadLetterFilter,
  DeadLetterList,
  DeadLetterPageQuery,
  ErrorGroup,
  ErrorList,
  ErrorPageQuery,
  Stats,
  StatsQuery,
  Execution,
  Job,
  JobFilter,
  JobLink,
  JobList,
  JobMembers,
  JobPageQuery,
  JobStatus,
  Key,
  Kind,
  KindSummary,
  KindVersions,
  LogLevel,
  LogLine,
  LogList,
  LogPageQuery,
  Me,
  PayloadOf,
  Problem,
  Queue,
  QueueList,
  QueuePageQuery,
  QueueState,
  RequeueDeadLetters,
  RegisteredKinds,
  RegisterKinds,
  RequeueResult,
  RetryPolicy,
  Schedule,
  ScheduleFilter,
  ScheduleList,
  SchedulePageQuery,
  SchedulePreview,
  ScheduleSyncReport,
  ScheduleTiming,
  SyncSchedules,
  UpdateSchedule,
  Worker,
} from './wire.ts'

import type { components, operations } from './generated/api.ts'

/** The shapes of the API, by the names of its OpenAPI document. Instants are ISO 8601 in UTC. */
type Schemas = components['schemas']

export type Job = Schemas['Job']
/** succeeded, failed_permanent and cancelled are final. */
export type JobStatus = Schemas['JobStatus']
export type Execution = Schemas['Execution']
export type ErrorGroup = Schemas['ErrorGroup']
export type ErrorList = Schemas['ErrorList']
/** What changes of a job while it runs. */
export type JobStateSummary = Schemas['JobStateSummary']
/** When a waiting job will begin, as far as the last minutes tell. */
export type ExpectedStart = Schemas['ExpectedStart']
export type Why = Schemas['Why']
export type WhyReason = Schemas['WhyReason']
/** Something that needs somebody. */
export type Attention = Schemas['Attention']
/** What doctor finds. */
export type Diagnosis = Schemas['Diagnosis']
/** What has happened to jobs over time. */
export type Stats = Schemas['Stats']
export type LogLine = Schemas['LogLine']
export type LogLevel = LogLine['level']
export type LogList = Schemas['LogList']
export type DeadLetter = Schemas['DeadLetter']
export type Queue = Schemas['Queue']
/** The jobs of one key in a queue, with what limits them. */
export type QueueKey = Schemas['QueueKey']
export type QueueKeyList = Schemas['QueueKeyList']
export type QueueState = Schemas['QueueState']
export type Worker = Schemas['Worker']
export type Limit = Schemas['Limit']
/** A limit with how far it is used. */
export type LimitInUse = Schemas['LimitInUse']
export type LimitList = Schemas['LimitList']
/** A limit to be set: what is absent or null limits nothing. */
export type SetLimit = Schemas['SetLimit']
export type JobLink = Schemas['JobLink']
export type Key = Schemas['Key']
/** Who asks, and what they may do. */
export type Me = Schemas['Me']
export type AuditEntry = Schemas['AuditEntry']
export type RetryPolicy = Schemas['RetryPolicy']
/** What an act by filter has done, or would do; `operation` where workers carry it out. */
export type ActResult = Schemas['ActResult']
/** The jobs of a filter, and how they are acted on. */
export type ActOnJobs = Schemas['CancelJobs']
export type RescheduleJobs = Schemas['RescheduleJobs']
/** What a reschedule has answered as `previous`, to take it back. */
export type UndoReschedule = Schemas['UndoReschedule']
/** How an act by filter is carried out. */
export type ManyOptions = Schemas['PurgeQueue']
/** An act on many jobs, which workers carry out. */
export type Operation = Schemas['Operation']
export type OperationList = Schemas['OperationList']
/** What changes of a waiting job; absent members stay. */
export type EditJob = Schemas['EditJob']
export type EditedJob = Schemas['EditedJob']
export type Problem = Schemas['Problem']
export type JobList = Schemas['JobList']
export type DeadLetterList = Schemas['DeadLetterList']
export type QueueList = Schemas['QueueList']
export type AuditList = Schemas['AuditList']
export type Schedule = Schemas['Schedule']
export type ScheduleList = Schemas['ScheduleList']
export type SchedulePreview = Schemas['SchedulePreview']
/** When a schedule fires. */
export type ScheduleTiming = Schemas['ScheduleTiming']
export type ScheduleSyncReport = Schemas['ScheduleSyncReport']
/** What changes of a schedule: absent members stay, and null takes away. */
export type UpdateSchedule = Schemas['UpdateSchedule']
export type KindSummary = Schemas['KindSummary']
/** A kind and its versions. */
export type KindVersions = Schemas['Kind']
export type RegisterKinds = Schemas['RegisterKinds']
export type RegisteredKinds = Schemas['RegisteredKinds']

type BuiltIn = Schemas['CreateJob']

/** The kinds that the API has without being told of others, each with its payload. */
export type BuiltInKinds = { readonly [K in BuiltIn['kind']]: Extract<BuiltIn, { kind: K }>['payload'] }

/** The name of a kind. `Kinds` has each kind that the API takes, with its payload. */
export type Kind<Kinds extends object = BuiltInKinds> = keyof Kinds & string
export type PayloadOf<K extends Kind<Kinds>, Kinds extends object = BuiltInKinds> = Kinds[K]

/** What a job may have besides its kind and payload; the same for each kind. */
export type JobMembers = Omit<Schemas['CreateSendEmailJob'], 'kind' | 'payload' | 'retry_policy'> & {
  /** How long the job waits before its next attempt. Absent: what its kind says. */
  retry_policy?: RetryPolicy
}

export type CreateJobOf<K extends Kind<Kinds>, Kinds extends object = BuiltInKinds> = JobMembers & {
  /** Which handler runs it. */
  readonly kind: K
  /** What the handler gets. */
  readonly payload: Kinds[K]
}
/** A job to be enqueued: `kind` says which payload it has. */
export type CreateJob<Kinds extends object = BuiltInKinds> = {
  [K in Kind<Kinds>]: CreateJobOf<K, Kinds>
}[Kind<Kinds>]

/** A schedule to be made: `kind` says which payload its jobs have. */
export type CreateSchedule<Kinds extends object = BuiltInKinds> = {
  [K in Kind<Kinds>]: Omit<Schemas['CreateSendEmailSchedule'], 'kind' | 'payload'> & {
    /** Which handler runs its jobs. */
    readonly kind: K
    /** What the handler gets. */
    readonly payload: Kinds[K]
  }
}[Kind<Kinds>]
/** The schedules of a source. */
export type SyncSchedules<Kinds extends object = BuiltInKinds> = Omit<
  Schemas['SyncSchedules'],
  'schedules'
> & {
  readonly schedules: CreateSchedule<Kinds>[]
}

type Query<
  Name extends
    | 'listJobs'
    | 'listJobLogs'
    | 'listErrors'
    | 'getStats'
    | 'listOperations'
    | 'listDeadLetters'
    | 'listQueues'
    | 'listLimits'
    | 'deleteLimit'
    | 'listSchedules'
    | 'listAudit'
    | 'requeueJob',
> = NonNullable<operations[Name]['parameters']['query']>

/** Where a page begins, from the `next_cursor` of the one before; absent: at the start. */
export type JobPageQuery = Query<'listJobs'>
export type ErrorPageQuery = Query<'listErrors'>
/** Which numbers; all conditions hold at once. */
export type StatsQuery = Query<'getStats'>
export type LogPageQuery = Query<'listJobLogs'>
export type OperationPageQuery = Query<'listOperations'>
export type DeadLetterPageQuery = Query<'listDeadLetters'>
export type QueuePageQuery = Query<'listQueues'>
export type LimitPageQuery = Query<'listLimits'>
export type LimitTarget = Query<'deleteLimit'>
export type AuditPageQuery = Query<'listAudit'>
export type SchedulePageQuery = Query<'listSchedules'>
/** When the job is cancelled if it has not begun by then. */
export type RequeueQuery = Query<'requeueJob'>
/** Filters combine. `limit` is the size of a page, and no bound on the iteration. */
export type JobFilter = Omit<JobPageQuery, 'cursor'>
export type OperationFilter = Omit<OperationPageQuery, 'cursor'>
export type ScheduleFilter = Omit<SchedulePageQuery, 'cursor'>
export type DeadLetterFilter = Omit<DeadLetterPageQuery, 'cursor'>
export type AuditFilter = Omit<AuditPageQuery, 'cursor'>
/** Which dead letters; with `dry_run` they are only counted. */
export type RequeueDeadLetters = Schemas['RequeueDeadLetters']

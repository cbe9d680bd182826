import type { components, operations } from './generated/api.ts'

// The types of the API, with the names of its OpenAPI document. Times are ISO 8601 strings in UTC.

type Schemas = components['schemas']

export type Job = Schemas['Job']
/** The state of a job. `succeeded`, `failed_permanent` and `cancelled` are final. */
export type JobStatus = Schemas['JobStatus']
export type Execution = Schemas['Execution']
export type ErrorGroup = Schemas['ErrorGroup']
export type ErrorList = Schemas['ErrorList']
/** The members of a job that change while it runs. */
export type JobStateSummary = Schemas['JobStateSummary']
/** When a waiting job is expected to start, estimated from the last minutes. */
export type ExpectedStart = Schemas['ExpectedStart']
export type Why = Schemas['Why']
export type WhyReason = Schemas['WhyReason']
/** A condition that needs attention. */
export type Attention = Schemas['Attention']
/** The findings of `doctor`. */
export type Diagnosis = Schemas['Diagnosis']
/** Statistics of jobs over time. */
export type Stats = Schemas['Stats']
export type LogLine = Schemas['LogLine']
export type LogLevel = LogLine['level']
export type LogList = Schemas['LogList']
export type DeadLetter = Schemas['DeadLetter']
export type Queue = Schemas['Queue']
/** The jobs of one key in a queue, and the limits that apply to them. */
export type QueueKey = Schemas['QueueKey']
export type QueueKeyList = Schemas['QueueKeyList']
export type QueueState = Schemas['QueueState']
export type Worker = Schemas['Worker']
export type Limit = Schemas['Limit']
/** A limit and its current use. */
export type LimitInUse = Schemas['LimitInUse']
export type LimitList = Schemas['LimitList']
/** A limit to set. A member that is absent or null limits nothing. */
export type SetLimit = Schemas['SetLimit']
/** Changes of a limit. Absent members stay as they are; null removes a member. */
export type ChangeLimit = Schemas['ChangeLimit']
export type JobLink = Schemas['JobLink']
export type Key = Schemas['Key']
/** The caller and its permissions. */
export type Me = Schemas['Me']
export type AuditEntry = Schemas['AuditEntry']
export type RetryPolicy = Schemas['RetryPolicy']
/** The result of a bulk action or of its dry run. It has an `operation` if workers carry the action out. */
export type ActResult = Schemas['ActResult']
/** The filter of a bulk action, and how it is carried out. */
export type ActOnJobs = Schemas['CancelJobs']
export type RescheduleJobs = Schemas['RescheduleJobs']
/** The `cancelled` of a cancel's result, to undo it. */
export type UndoCancel = Schemas['UndoCancel']
/** The `requeued` of a requeue's result, to undo it. */
export type UndoRequeue = Schemas['UndoRequeue']
/** The `previous` of a reschedule's result, to undo it. */
export type UndoReschedule = Schemas['UndoReschedule']
/** How a bulk action is carried out. */
export type ManyOptions = Schemas['PurgeQueue']
/** A bulk action that workers carry out. */
export type Operation = Schemas['Operation']
export type OperationList = Schemas['OperationList']
/** Changes of a waiting job. Absent members stay as they are. */
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
/** When a schedule runs. */
export type ScheduleTiming = Schemas['ScheduleTiming']
export type ScheduleSyncReport = Schemas['ScheduleSyncReport']
/** Changes of a schedule. Absent members stay as they are; null removes a member. */
export type UpdateSchedule = Schemas['UpdateSchedule']
export type KindSummary = Schemas['KindSummary']
/** A kind and its versions. */
export type KindVersions = Schemas['Kind']
export type RegisterKinds = Schemas['RegisterKinds']
export type RegisteredKinds = Schemas['RegisteredKinds']

type BuiltIn = Schemas['CreateJob']

/** The built-in kinds of the API, each with its payload. */
export type BuiltInKinds = { readonly [K in BuiltIn['kind']]: Extract<BuiltIn, { kind: K }>['payload'] }

/** The name of a kind. `Kinds` has each kind of the API with its payload. */
export type Kind<Kinds extends object = BuiltInKinds> = keyof Kinds & string
export type PayloadOf<K extends Kind<Kinds>, Kinds extends object = BuiltInKinds> = Kinds[K]

/** The members of a job besides its kind and payload. They are the same for each kind. */
export type JobMembers = Omit<Schemas['CreateSendEmailJob'], 'kind' | 'payload' | 'retry_policy'> & {
  /** How long the job waits before a retry. Default: the retry policy of its kind. */
  retry_policy?: RetryPolicy
}

export type CreateJobOf<K extends Kind<Kinds>, Kinds extends object = BuiltInKinds> = JobMembers & {
  /** The kind of the job. It decides which handler runs the job. */
  readonly kind: K
  /** The input of the handler. */
  readonly payload: Kinds[K]
}
/** A job to enqueue. The type of its payload follows from `kind`. */
export type CreateJob<Kinds extends object = BuiltInKinds> = {
  [K in Kind<Kinds>]: CreateJobOf<K, Kinds>
}[Kind<Kinds>]

/** A schedule to create. The type of the payload of its jobs follows from `kind`. */
export type CreateSchedule<Kinds extends object = BuiltInKinds> = {
  [K in Kind<Kinds>]: Omit<Schemas['CreateSendEmailSchedule'], 'kind' | 'payload'> & {
    /** The kind of its jobs. It decides which handler runs them. */
    readonly kind: K
    /** The input of the handler. */
    readonly payload: Kinds[K]
  }
}[Kind<Kinds>]
/** All schedules of a source. */
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

/** The filter and the page. `cursor` is the `next_cursor` of the page before; without it, the first page is returned. */
export type JobPageQuery = Query<'listJobs'>
export type ErrorPageQuery = Query<'listErrors'>
/** Selects the statistics. All conditions must hold. */
export type StatsQuery = Query<'getStats'>
export type LogPageQuery = Query<'listJobLogs'>
export type OperationPageQuery = Query<'listOperations'>
export type DeadLetterPageQuery = Query<'listDeadLetters'>
export type QueuePageQuery = Query<'listQueues'>
export type LimitPageQuery = Query<'listLimits'>
export type LimitTarget = Query<'deleteLimit'>
export type AuditPageQuery = Query<'listAudit'>
export type SchedulePageQuery = Query<'listSchedules'>
/** When the job expires: it is cancelled if it has not started by then. */
export type RequeueQuery = Query<'requeueJob'>
/** All conditions must hold. `limit` is the size of a page; it does not limit the iteration. */
export type JobFilter = Omit<JobPageQuery, 'cursor'>
export type OperationFilter = Omit<OperationPageQuery, 'cursor'>
export type ScheduleFilter = Omit<SchedulePageQuery, 'cursor'>
export type DeadLetterFilter = Omit<DeadLetterPageQuery, 'cursor'>
export type AuditFilter = Omit<AuditPageQuery, 'cursor'>
/** The filter of the dead letters to requeue. With `dry_run` they are only counted. */
export type RequeueDeadLetters = Schemas['RequeueDeadLetters']

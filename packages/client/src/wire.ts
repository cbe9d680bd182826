import type { components, operations } from './generated/api.ts'

/** The shapes of the API, by the names of its OpenAPI document. Instants are ISO 8601 in UTC. */
type Schemas = components['schemas']

export type Job = Schemas['Job']
/** succeeded, failed_permanent and cancelled are final. */
export type JobStatus = Schemas['JobStatus']
export type Execution = Schemas['Execution']
export type DeadLetter = Schemas['DeadLetter']
export type Queue = Schemas['Queue']
export type QueueState = Schemas['QueueState']
export type Worker = Schemas['Worker']
export type RetryPolicy = Schemas['RetryPolicy']
export type RequeueResult = Schemas['RequeueResult']
export type Problem = Schemas['Problem']
export type JobList = Schemas['JobList']
export type DeadLetterList = Schemas['DeadLetterList']

/** A job to be enqueued: `kind` says which payload it has. */
export type CreateJob = Schemas['CreateJob']
export type Kind = CreateJob['kind']
export type CreateJobOf<K extends Kind> = Extract<CreateJob, { kind: K }>
export type PayloadOf<K extends Kind> = CreateJobOf<K>['payload']

type Query<Name extends 'listJobs' | 'listDeadLetters'> = NonNullable<operations[Name]['parameters']['query']>

/** Where a page begins, from the `next_cursor` of the one before; absent: at the start. */
export type JobPageQuery = Query<'listJobs'>
export type DeadLetterPageQuery = Query<'listDeadLetters'>
/** Filters combine. `limit` is the size of a page, and no bound on the iteration. */
export type JobFilter = Omit<JobPageQuery, 'cursor'>
export type DeadLetterFilter = Omit<DeadLetterPageQuery, 'cursor'>
/** Which dead letters; with `dry_run` they are only counted. */
export type RequeueDeadLetters = Schemas['RequeueDeadLetters']

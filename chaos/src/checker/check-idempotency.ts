import type { Moment } from '../record/snapshot.ts'
import type { Tenure, TenuresByJob } from './key-tenures.ts'

/** A request with an idempotency key. */
export interface KeyedRequest {
  /** The client's own name, which the job carries. */
  readonly name: string
  /** The key with its tenant. */
  readonly key: string
  readonly body: string
}

/** What a client was told about a request. */
export interface KeyedAnswer {
  readonly request: KeyedRequest
  /** `refused`: by a mismatch. `named`: the answer has an id and does not say whether it is new. */
  readonly outcome: 'new' | 'replayed' | 'refused' | 'named'
  readonly jobId: string
  readonly mismatched: boolean
  /** Whether the job was a receipt. Undefined: the answer does not say. */
  readonly stripped: boolean | undefined
  /** A moment before the call, or before its transaction began if that sees what its first statement did. */
  readonly before: Moment
  /** A moment after the answer. */
  readonly after: Moment
  /** The body of the job that an earlier answer in the same transaction has made, if this answer names it. */
  readonly ownBody?: string | undefined
  /** What has become of the transaction. */
  readonly fate: 'committed' | 'rolled back' | 'unknown'
}

export interface KeyEvidence {
  readonly answers: readonly KeyedAnswer[]
  /** The names of the requests that may have made a job and were not answered. */
  readonly unanswered: ReadonlySet<string>
}

/** All requests of one schedule have one name, because their jobs are equal. */
export const scheduledName = 'schedule'

/** Compares each answer with the serial history of its key, and each job with the answers to its request. */
export function checkIdempotency(tenures: TenuresByJob, { answers, unanswered }: KeyEvidence): string[] {
  const answersByName = Map.groupBy(answers, ({ request }) => request.name)
  const wrongAnswers = answers.flatMap((answer) => {
    const fault = faultOf(answer, tenures.get(answer.jobId) ?? [])
    const { request, outcome, jobId } = answer
    return fault === undefined
      ? []
      : [`the answer to ${request.name} (${request.key}) is wrong: ${outcome}, job ${jobId}, which ${fault}`]
  })
  const wrongJobs = [...tenures.values()].flat().flatMap((tenure) => {
    const { jobId, key, request } = tenure
    const told = answersByName.get(request) ?? []
    const made = told.filter((answer) => answer.jobId === jobId && isMaker(answer))
    const times = made.filter(({ outcome }) => outcome === 'new').length
    if (times > 1) return [`job ${jobId} of the key ${key} was answered as new ${times} times`]
    return made.length > 0 || unanswered.has(request) || told.some((answer) => isForgotten(answer, tenure))
      ? []
      : [`job ${jobId} of the key ${key} was made by ${request}, whose answer says that it was not`]
  })
  return [...wrongAnswers, ...wrongJobs]
}

/** Whether the answer may be the one of the request that has made its job. */
function isMaker({ outcome }: KeyedAnswer): boolean {
  return outcome === 'new' || outcome === 'named'
}

/** What is wrong with an answer: a new job was never there before the call, and a known one was there at a time of it. */
function faultOf(answer: KeyedAnswer, tenures: readonly Tenure[]): string | undefined {
  const each = tenures.length === 0 ? [undefined] : tenures
  if (answer.outcome === 'new') {
    return each.map((tenure) => faultOfNew(answer, tenure)).find((fault) => fault !== undefined)
  }
  const faults = each.map((tenure) => faultOfKnown(answer, tenure))
  return faults.includes(undefined) ? undefined : faults.at(-1)
}

/**
 * Whether the job lived and was removed within the call: the queue has then repeated a request whose reply was lost, and
 * has found the key free, or with another job.
 */
function isForgotten({ before, after }: KeyedAnswer, { madeBy, removedBy }: Tenure): boolean {
  return removedBy !== undefined && !before.snapshot.sees(madeBy) && after.snapshot.sees(removedBy)
}

function faultOfNew({ request, before, fate }: KeyedAnswer, tenure: Tenure | undefined): string | undefined {
  if (fate === 'rolled back') return tenure && 'exists although its transaction was rolled back'
  if (tenure === undefined) return fate === 'committed' ? 'does not exist' : undefined
  if (tenure.request !== request.name) return `was made by ${tenure.request}`
  if (tenure.key !== request.key) return `has the key ${tenure.key}`
  return before.snapshot.sees(tenure.madeBy) ? 'had existed before' : undefined
}

function faultOfKnown(answer: KeyedAnswer, tenure: Tenure | undefined): string | undefined {
  const { request, outcome, mismatched, before, after, ownBody } = answer
  if (ownBody !== undefined)
    return mismatched === (ownBody !== request.body) ? undefined : 'has another fingerprint'
  if (tenure === undefined) return 'does not exist'
  if (tenure.key !== request.key) return `has the key ${tenure.key}`
  if (tenure.removedBy !== undefined && before.snapshot.sees(tenure.removedBy)) return 'had been removed'
  if (!after.snapshot.sees(tenure.madeBy)) return 'was not committed'
  const isOwn = tenure.request === request.name && request.name !== scheduledName
  if (outcome === 'named') return undefined
  if (isOwn) return 'the request itself has made'
  if (mismatched !== (tenure.body !== request.body)) return `was made for ${tenure.body}`
  return strippedFault(answer, tenure)
}

function strippedFault({ stripped, before, after }: KeyedAnswer, { strippedBy }: Tenure): string | undefined {
  if (stripped === undefined) return undefined
  if (stripped) {
    return strippedBy !== undefined && after.snapshot.sees(strippedBy) ? undefined : 'was no receipt'
  }
  return strippedBy !== undefined && before.snapshot.sees(strippedBy) ? 'was a receipt' : undefined
}

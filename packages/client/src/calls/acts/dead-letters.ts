import { isDoneByLostAttempt } from '../../api-error.ts'
import { callOptions, type RulesOfCalls } from '../../option-rules.ts'
import type { CallOptions } from '../../options.ts'
import type { Transport } from '../../transport.ts'
import type {
  ActResult,
  DeadLetter,
  DeadLetterFilter,
  DeadLetterList,
  DeadLetterPageQuery,
  Job,
  RequeueDeadLetters,
} from '../../wire.ts'
import { assertGiven } from '../assert-given.ts'
import { paginate } from '../paginate.ts'

export interface DeadLetterCalls {
  /** All dead letters that match the filter, the latest first. */
  deadLetters(filter?: DeadLetterFilter, options?: CallOptions): AsyncIterable<DeadLetter>
  /** One page of dead letters. A page that is short or empty may still have a `next_cursor`. */
  deadLettersPage(query?: DeadLetterPageQuery, options?: CallOptions): Promise<DeadLetterList>
  /** @throws ApiError `dead_letter_not_found`. */
  deadLetter(id: string, options?: CallOptions): Promise<DeadLetter>
  /** Requeues the job of a dead letter and deletes the dead letter. After a lost reply the call is not retried. */
  requeueDeadLetter(id: string, options?: CallOptions): Promise<Job>
  /**
   * Requeues the matching dead letters. Up to 1 000 are requeued at once, all or none; more become an `operation`, which
   * workers carry out. With `dry_run` they are only counted. After a lost reply the call is not retried unless it is a
   * dry run. Without a condition it is refused with `selects_everything`, unless `all` is true. A condition that is
   * undefined is an InvalidCall.
   */
  requeueDeadLetters(filter: RequeueDeadLetters, options?: CallOptions): Promise<ActResult>
  /** Deletes a dead letter. Its job stays failed. */
  deleteDeadLetter(id: string, options?: CallOptions): Promise<void>
}

/** The options of these calls. */
export const deadLetterOptions: RulesOfCalls<DeadLetterCalls> = {
  deadLetters: { at: 1, options: callOptions, iterates: true },
  deadLettersPage: { at: 1, options: callOptions },
  deadLetter: { at: 1, options: callOptions },
  requeueDeadLetter: { at: 1, options: callOptions },
  requeueDeadLetters: { at: 1, options: callOptions },
  deleteDeadLetter: { at: 1, options: callOptions },
}

export function deadLetterCalls({ http, fetchData }: Transport): DeadLetterCalls {
  const deadLettersPage: DeadLetterCalls['deadLettersPage'] = (query = {}, { signal } = {}) =>
    fetchData({
      request: 'GET /dead-letters',
      idempotent: true,
      answer: ['data'],
      signal,
      fetch: (attemptSignal) => http.GET('/dead-letters', { params: { query }, signal: attemptSignal }),
    })

  return {
    deadLettersPage,
    deadLetters: (filter = {}, options) =>
      paginate((cursor) => deadLettersPage(cursor === undefined ? filter : { ...filter, cursor }, options)),

    deadLetter: (id, { signal } = {}) =>
      fetchData({
        request: `GET /dead-letters/${id}`,
        idempotent: true,
        answer: ['id', 'job_id'],
        signal,
        fetch: (attemptSignal) =>
          http.GET('/dead-letters/{id}', { params: { path: { id } }, signal: attemptSignal }),
      }),

    requeueDeadLetter: (id, { signal } = {}) =>
      fetchData({
        request: `POST /dead-letters/${id}/requeue`,
        idempotent: false,
        answer: 'job',
        signal,
        fetch: (attemptSignal) =>
          http.POST('/dead-letters/{id}/requeue', { params: { path: { id } }, signal: attemptSignal }),
      }),

    requeueDeadLetters: async (body, { signal } = {}) => {
      const { all: _all, dry_run: _isDry, rate: _rate, ...filter } = body
      assertGiven(filter)
      return fetchData({
        request: 'POST /dead-letters/requeue',
        idempotent: body.dry_run === true,
        answer: ['count', 'job_ids'],
        signal,
        fetch: (attemptSignal) => http.POST('/dead-letters/requeue', { body, signal: attemptSignal }),
      })
    },

    async deleteDeadLetter(id, { signal } = {}) {
      try {
        await fetchData({
          request: `DELETE /dead-letters/${id}`,
          idempotent: true,
          answer: 'nothing',
          signal,
          fetch: (attemptSignal) =>
            http.DELETE('/dead-letters/{id}', { params: { path: { id } }, signal: attemptSignal }),
        })
      } catch (error) {
        if (!isDoneByLostAttempt(error, 'dead_letter_not_found')) throw error
      }
    },
  }
}

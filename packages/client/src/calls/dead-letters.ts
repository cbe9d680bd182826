import { ApiError } from '../api-error.ts'
import type { CallOptions } from '../options.ts'
import type { Transport } from '../transport.ts'
import type {
  DeadLetter,
  DeadLetterFilter,
  DeadLetterList,
  DeadLetterPageQuery,
  ErrorList,
  ErrorPageQuery,
  Job,
  RequeueDeadLetters,
  ActResult,
} from '../wire.ts'
import { paginate } from './paginate.ts'

export interface DeadLetters {
  /** One page of the failures of attempts, grouped by their causes: those that were seen last first. */
  errorsPage(query?: ErrorPageQuery, options?: CallOptions): Promise<ErrorList>
  /** All dead letters that the filter lets through, the latest first. */
  deadLetters(filter?: DeadLetterFilter, options?: CallOptions): AsyncIterable<DeadLetter>
  /** One page of them. It may be short, or empty, and have a `next_cursor` all the same. */
  deadLettersPage(query?: DeadLetterPageQuery, options?: CallOptions): Promise<DeadLetterList>
  /** @throws ApiError `dead_letter_not_found`. */
  deadLetter(id: string, options?: CallOptions): Promise<DeadLetter>
  /** Queues its job anew and removes the dead letter. After a lost reply it is not sent again. */
  requeueDeadLetter(id: string, options?: CallOptions): Promise<Job>
  /**
   * Requeues those of the filter: up to 1 000 at once, all or none, and more as an `operation`, which workers carry out. With
   * `dry_run` they are only counted. After a lost reply it is not sent again, unless it only counts.
   */
  requeueDeadLetters(filter: RequeueDeadLetters, options?: CallOptions): Promise<ActResult>
  /** Removes the dead letter alone; its job stays failed. */
  deleteDeadLetter(id: string, options?: CallOptions): Promise<void>
}

export function deadLetterCalls({ http, send }: Transport): DeadLetters {
  const deadLettersPage: DeadLetters['deadLettersPage'] = async (query = {}, { signal } = {}) => {
    const { data } = await send({
      request: 'GET /dead-letters',
      repetition: 'freely',
      signal,
      fetch: (attempt) => http.GET('/dead-letters', { params: { query }, signal: attempt }),
    })
    return data
  }

  return {
    async errorsPage(query = {}, { signal } = {}) {
      const { data } = await send({
        request: 'GET /errors',
        repetition: 'freely',
        signal,
        fetch: (attempt) => http.GET('/errors', { params: { query }, signal: attempt }),
      })
      return data
    },

    deadLettersPage,
    deadLetters: (filter = {}, options) =>
      paginate((cursor) => deadLettersPage(cursor === undefined ? filter : { ...filter, cursor }, options)),

    async deadLetter(id, { signal } = {}) {
      const { data } = await send({
        request: `GET /dead-letters/${id}`,
        repetition: 'freely',
        signal,
        fetch: (attempt) => http.GET('/dead-letters/{id}', { params: { path: { id } }, signal: attempt }),
      })
      return data
    },

    async requeueDeadLetter(id, { signal } = {}) {
      const path = { id }
      const { data } = await send({
        request: `POST /dead-letters/${id}/requeue`,
        repetition: 'unless_effective',
        signal,
        fetch: (attempt) => http.POST('/dead-letters/{id}/requeue', { params: { path }, signal: attempt }),
      })
      return data
    },

    async requeueDeadLetters(filter, { signal } = {}) {
      const { data } = await send({
        request: 'POST /dead-letters/requeue',
        repetition: filter.dry_run === true ? 'freely' : 'unless_effective',
        signal,
        fetch: (attempt) => http.POST('/dead-letters/requeue', { body: filter, signal: attempt }),
      })
      return data
    },

    async deleteDeadLetter(id, { signal } = {}) {
      const deleting = send({
        request: `DELETE /dead-letters/${id}`,
        repetition: 'freely',
        signal,
        fetch: (attempt) => http.DELETE('/dead-letters/{id}', { params: { path: { id } }, signal: attempt }),
      })
      await deleting.catch((error: unknown) => {
        if (!isOwnDelete(error)) throw error
      })
    },
  }
}

/** The attempt whose reply was lost has removed it. */
function isOwnDelete(error: unknown): boolean {
  return error instanceof ApiError && error.afterLostReply && error.error === 'dead_letter_not_found'
}

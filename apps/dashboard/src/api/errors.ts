import { ApiError, NetworkError } from '@queue/client'

/** What went wrong, in a sentence, and what to look for in the logs. */
export interface Failure {
  readonly text: string
  readonly requestId: string | undefined
  /** The permission that is missing, where that is what went wrong. */
  readonly permission: string | undefined
}

export function failureOf(error: unknown): Failure {
  if (error instanceof ApiError) {
    const permission = error.error === 'forbidden' ? error.permission : undefined
    return { text: `${error.status}: ${error.detail}`, requestId: error.requestId, permission }
  }
  const text = isOfNetwork(error) ? 'The API cannot be reached.' : String(error)
  return { text, requestId: undefined, permission: undefined }
}

/**
 * What became of an act that has failed, as far as anybody knows; `doing` says which, as `Pausing mail`. An answer below 500 says that
 * nothing was changed. After another, or none, it may have been.
 */
export function refusalOf(doing: string, error: unknown): string {
  const { text, requestId } = failureOf(error)
  if (error instanceof ApiError && error.status < 500) {
    return `${doing} was refused, and nothing was changed. ${text}`
  }
  const request = requestId === undefined ? '' : ` (request ${requestId})`
  return `${doing} has failed${request}. ${text.replace(/\.$/, '')}. Whether it was done shows when the API answers again.`
}

export function isStatus(error: unknown, status: number): boolean {
  return error instanceof ApiError && error.status === status
}

/** The tenants of which a request has to name one, where it has named none, or one that is no longer among them. */
export function tenantsOf(error: unknown): readonly string[] | undefined {
  return error instanceof ApiError ? error.problem?.tenants : undefined
}

/** The client says so in its own way, and calls of this page as `fetch` does. */
function isOfNetwork(error: unknown): boolean {
  return error instanceof NetworkError || error instanceof TypeError
}

/** Whether the same may succeed later, without anybody's doing here. */
export function isPassing(error: unknown): boolean {
  return isOfNetwork(error) || (error instanceof ApiError && error.status >= 500)
}

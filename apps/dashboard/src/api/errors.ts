import { ApiError, NetworkError } from '@queue/client'

/** An error message, and the request id to search for in the logs. */
export interface Failure {
  readonly text: string
  readonly requestId: string | undefined
  /** The missing permission, if that is the error. */
  readonly permission: string | undefined
}

export function failureOf(error: unknown): Failure {
  if (error instanceof ApiError) {
    const permission = error.error === 'forbidden' ? error.permission : undefined
    return { text: `${error.status}: ${error.detail}`, requestId: error.requestId, permission }
  }
  const text = isNetworkError(error) ? 'The API cannot be reached.' : String(error)
  return { text, requestId: undefined, permission: undefined }
}

/**
 * The message for a failed action. `doing` names the action, as `Pausing queue mail`. A status below 500 means that nothing was
 * changed. With another status, or without a response, the action may have been carried out.
 */
export function failureText(doing: string, error: unknown): string {
  const { text, requestId } = failureOf(error)
  if (error instanceof ApiError && error.status < 500) {
    return `${doing} was refused. Nothing was changed. ${text}`
  }
  const request = requestId === undefined ? '' : ` (request ${requestId})`
  return `${doing} failed${request}. ${text.replace(/\.$/, '')}. The change may have been made. The page shows it when the API responds again.`
}

export function isStatus(error: unknown, status: number): boolean {
  return error instanceof ApiError && error.status === status
}

/** The tenants to choose from, if the request named none, or one that the caller can no longer access. */
export function tenantsOf(error: unknown): readonly string[] | undefined {
  return error instanceof ApiError ? error.problem?.tenants : undefined
}

/** The client throws a NetworkError, and direct `fetch` calls throw a TypeError. */
function isNetworkError(error: unknown): boolean {
  return error instanceof NetworkError || error instanceof TypeError
}

/** Whether a retry can succeed later without a change of the request. */
export function isTransient(error: unknown): boolean {
  return isNetworkError(error) || (error instanceof ApiError && error.status >= 500)
}

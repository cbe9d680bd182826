/** The responses of the API while the database is unavailable or slow. */
const unavailable = [503, 504]

/**
 * Lists jobs with the API, one request after the other, until the signal aborts. Resolves with the unexpected responses:
 * neither a success nor the unavailability of the database.
 */
export async function pollApi(url: string, signal: AbortSignal): Promise<string[]> {
  const unexpected: string[] = []
  while (!signal.aborted) {
    const response = await fetch(new URL('/jobs', url))
    const text = await response.text()
    if (!response.ok && !unavailable.includes(response.status))
      unexpected.push(`the API answered ${response.status}: ${text}`)
  }
  return unexpected
}

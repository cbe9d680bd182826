/** What the API answers while it cannot reach the database, or has no time left. */
const unavailable = [503, 504]

/**
 * Lists jobs by the API, one request after the other, until the signal is aborted. Gives the answers that were neither
 * right nor that the database is not to be had.
 */
export async function askApi(url: string, signal: AbortSignal): Promise<string[]> {
  const wrong: string[] = []
  while (!signal.aborted) {
    const response = await fetch(new URL('/jobs', url))
    const text = await response.text()
    if (!response.ok && !unavailable.includes(response.status))
      wrong.push(`the API answered ${response.status}: ${text}`)
  }
  return wrong
}

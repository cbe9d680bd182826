import { shared } from './shared.mjs'

/** Stops the run's server last, after all test files have let go of it. */
export default async function stopServer() {
  await shared.offer?.stop()
}

import { shared } from './shared.mjs'

/** Stops the server of the run after all test files have ended. */
export default async function stopServer() {
  await shared.offer?.stop()
}

import process from 'node:process'
// @boundaries-ignore jest loads this file without the condition with which a package resolves to its source
import { acquireServer, compileCache, offerSharedServer } from '../../packages/dev-postgres/src/index.ts'
import { noRegistry } from './no-registry.mjs'
import { shared } from './shared.mjs'

/**
 * Offers one server to all test files of a jest run. It starts with the first use, so that a run without database tests starts
 * none. The root test command passes its own server to every run instead.
 */
export default async function prepareRun() {
  Object.assign(process.env, noRegistry, compileCache)
  // A copy without the offer: `acquireServer` must start a server, and not use the offer that it belongs to.
  const environment = { ...process.env }
  shared.offer = await offerSharedServer(() => acquireServer({ environment }))
  Object.assign(process.env, shared.offer.environment)
}

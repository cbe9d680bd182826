import process from 'node:process'
// @boundaries-ignore jest loads this file outside of the conditions that find the source of a package
import { acquireServer, compileCache, offerSharedServer } from '../../packages/dev-postgres/src/index.ts'
import { noRegistry } from './no-registry.mjs'
import { shared } from './shared.mjs'

/**
 * One server for all test files of a jest run, started when the first of them asks for it, so that a run
 * without a database test starts none. The root test command gives its own server to every run instead.
 */
export default async function prepareRun() {
  Object.assign(process.env, noRegistry, compileCache)
  // As it was before the offer is made known in it: who acquires the server must not be sent back here.
  const environment = { ...process.env }
  shared.offer = await offerSharedServer(() => acquireServer({ environment }))
  Object.assign(process.env, shared.offer.environment)
}

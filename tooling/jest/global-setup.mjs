import process from 'node:process'
// @boundaries-ignore jest loads this file without the condition with which a package resolves to its source
import {
  acquireServer,
  compileCache,
  offerSharedServer,
  programsVariable,
} from '../../packages/dev-postgres/src/index.ts'
import { bundledPrograms } from '../test-run/bundled-programs.ts'
import { joinRunServer } from '../test-run/run-server.ts'
import { noRegistry } from './no-registry.mjs'
import { shared } from './shared.mjs'

/**
 * Offers one server to all test files of a jest run. It starts with the first use, so that a run without database tests starts
 * none. Under turbo it is the server that the packages of the run share. The root test command passes its own to every run
 * instead.
 */
export default async function prepareRun() {
  Object.assign(process.env, noRegistry, compileCache)
  if (isRunByTurbo && !process.env[programsVariable]) process.env[programsVariable] = bundledPrograms
  // A copy without the offer: `acquireServer` must start a server, and not use the offer that it belongs to.
  const environment = { ...process.env }
  shared.offer = await offerSharedServer(() =>
    isRunByTurbo && !environment.TEST_DATABASE_URL ? joinRunServer(logLine) : acquireServer({ environment }),
  )
  Object.assign(process.env, shared.offer.environment)
}

/** Turbo gives each task the digest of its inputs. */
const isRunByTurbo = Boolean(process.env.TURBO_HASH)

const logLine = (line) => void process.stderr.write(`${line}\n`)

import process from 'node:process'
import { noRegistry } from './no-registry.mjs'

/** Sets a database URL that fails with a clear name if a unit test uses a database. Nothing listens on port 9. */
export default function prepareUnitTests() {
  Object.assign(process.env, noRegistry, { TEST_DATABASE_URL: 'postgres://127.0.0.1:9/none-for-unit-tests' })
}

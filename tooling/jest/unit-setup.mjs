import process from 'node:process'
import { noRegistry } from './no-registry.mjs'

/** A test that asks for a database after all is told so: nobody listens on port 9. */
export default function prepareUnitTests() {
  Object.assign(process.env, noRegistry, { TEST_DATABASE_URL: 'postgres://127.0.0.1:9/none-for-unit-tests' })
}

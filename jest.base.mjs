import path from 'node:path'
import process from 'node:process'

const tooling = path.join(import.meta.dirname, 'tooling', 'jest')

/** What every package's tests share. Tests run on the TypeScript source of all our packages, as ES modules. */
export default {
  testEnvironment: path.join(tooling, 'native-environment.mjs'),
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  // Compiled once for all runs, and not once for each boot, as below the system's temporary folder.
  cacheDirectory: path.join(import.meta.dirname, 'node_modules', '.cache', 'jest'),
  extensionsToTreatAsEsm: ['.ts'],
  transform: {},
  runtime: path.join(tooling, 'native-runtime.mjs'),
  globalSetup: path.join(tooling, 'global-setup.mjs'),
  globalTeardown: path.join(tooling, 'global-teardown.mjs'),
  // A guard against tests that hang, not a law of time: a test must pass on two cores at load 20.
  testTimeout: 300_000 * Number(process.env['QUEUE_TEST_SCALE'] ?? 1),
  reporters: ['default', path.join(tooling, 'count-reporter.mjs')],
}

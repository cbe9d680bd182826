import path from 'node:path'
import base from './jest.base.mjs'
import { unitTestRoots, unitTests } from './tooling/jest/unit-tests.mjs'

const tooling = path.join(import.meta.dirname, 'tooling', 'jest')
const { globalTeardown: _none, ...shared } = base

/** `pnpm test:unit`: all tests that need neither a database nor another process, of all packages at once. */
export default {
  ...shared,
  rootDir: import.meta.dirname,
  // Not the root itself: to list all files of node_modules took longer than the tests.
  roots: unitTestRoots(import.meta.dirname),
  testMatch: unitTests(import.meta.dirname),
  modulePathIgnorePatterns: ['<rootDir>/.*/dist/'],
  maxWorkers: '100%',
  globalSetup: path.join(tooling, 'unit-setup.mjs'),
  reporters: ['default'],
}

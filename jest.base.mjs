import path from 'node:path'

const tooling = path.join(import.meta.dirname, 'tooling', 'jest')

/** What every package's tests share. Tests run on the TypeScript source of all our packages, as ES modules. */
export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: { parser: { syntax: 'typescript' }, target: 'es2023' },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
  testEnvironmentOptions: { customExportConditions: ['@queue/source', 'node'] },
  globalSetup: path.join(tooling, 'global-setup.mjs'),
  globalTeardown: path.join(tooling, 'global-teardown.mjs'),
  // Database tests share two cores with a server; a law that takes longer than this says so itself.
  testTimeout: 30_000,
  reporters: ['default', path.join(tooling, 'count-reporter.mjs')],
}

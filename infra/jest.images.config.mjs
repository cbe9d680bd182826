// @boundaries-ignore every package's tests share the configuration of the repository
import base from '../jest.base.mjs'

/** `pnpm images`: these tests need an engine and a network, and are none of `pnpm test`. */
export default { ...base, testMatch: ['<rootDir>/images/**/*.test.ts'], reporters: ['default'] }

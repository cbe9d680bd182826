// @boundaries-ignore every package's tests share the configuration of the repository
import base from '../jest.base.mjs'

// A scenario waits for leases and restarts for most of its time: two at once take little more than one.
// A case ends itself at its own limit of ten minutes, and says so: a guard for a machine that does much else meanwhile.
export default { ...base, maxWorkers: 2, testTimeout: 660_000 }

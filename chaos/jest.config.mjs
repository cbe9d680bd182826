// @boundaries-ignore every package's tests share the configuration of the repository
import base from '../jest.base.mjs'

// A row waits for leases and restarts for most of its time: two at once take little more than one.
export default { ...base, maxWorkers: 2 }

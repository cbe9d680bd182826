// @boundaries-ignore every package's tests share the configuration of the repository
import base from '../../jest.base.mjs'

// The tests wait for processes and their leases for half of their time: two files at once take little more than one.
export default { ...base, maxWorkers: 2 }

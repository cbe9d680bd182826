// @boundaries-ignore every package's tests share the configuration of the repository
import base from '../../jest.base.mjs'

// Half of the time a test waits for the database, often for a lock that another session of it holds.
export default { ...base, maxWorkers: 2 }

// @boundaries-ignore every package's tests share the configuration of the repository
import base from '../../jest.base.mjs'

// The longest package of all: its files wait for a browser, for polls and for time limits for half of their time.
export default { ...base, maxWorkers: 2 }

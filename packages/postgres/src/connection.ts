/**
 * How a connection is made, kept and ended, apart from everything of the queue that is sent over it: for pools and clients
 * of one's own, and for the lease thread, which loads the driver and nothing else of weight.
 */
export { hangUp, runOn, tolerateBreaks } from './connections/connections.ts'
export { MultiHostClient } from './connections/multi-host-client.ts'
export { type Acceptance, parseServers, type Servers, type ServersFault } from './connections/servers.ts'

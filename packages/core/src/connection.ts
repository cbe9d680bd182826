/**
 * How a connection is made, apart from everything that is sent over it: for pools and clients of one's own, and for the
 * lease thread, which loads the driver and nothing else of weight.
 */
export { MultiHostClient } from './database/multi-host-client.ts'
export { type Acceptance, parseServers, type Servers, type ServersFault } from './database/servers.ts'

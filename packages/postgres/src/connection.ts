/**
 * Making, keeping and ending connections, without anything about statements or jobs: for separate pools and clients, and
 * for the lease thread, which loads the driver and little else.
 */
export { closeGracefully, runOn, tolerateBreaks } from './connections/connections.ts'
export { MultiHostClient } from './connections/multi-host-client.ts'
export { type Acceptance, parseServers, type Servers, type ServersFault } from './connections/servers.ts'

/**
 * Functions that open, keep and close connections, without any code for statements or jobs. They are for separate pools and
 * clients, and for the lease thread, which loads little more than the driver.
 */
export { closeGracefully, runOn, tolerateBreaks } from './connections/connections.ts'
export { MultiHostClient } from './connections/multi-host-client.ts'
export { type Acceptance, parseServers, type Servers, type ServersFault } from './connections/servers.ts'
export { knownTimelines, learnTimelines, type Timeline } from './connections/timelines.ts'

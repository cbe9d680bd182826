import { type ConnectedDatabase, kindsChannel } from '@queue/core/internal'
import { besidePool, createListener, type Listener } from '@queue/postgres'
import type { Logger } from '@queue/telemetry'
import type { KindCatalogue } from './kind-catalogue.ts'

export interface WatchKindsOptions {
  readonly database: ConnectedDatabase
  readonly kinds: Pick<KindCatalogue, 'expire'>
  readonly logger: Logger
}

/** Listens for registered and retired kinds on a connection of its own. */
export function watchKinds({ database, kinds, logger }: WatchKindsOptions): Listener {
  return createListener({
    database,
    channel: kindsChannel(database.schema),
    connection: besidePool(database.pool),
    logger,
    onHealth: () => undefined,
    onNotification: () => kinds.expire(),
    onGap: () => kinds.expire(),
  })
}

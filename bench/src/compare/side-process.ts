/**
 * A process that prepares or measures one side of a comparison (`SideOrder` on its command line, `SideResult` as JSON on
 * its standard output). How is decided here, for both sides alike; what knows the queue's API is the side's own adapter.
 */
import { pathToFileURL } from 'node:url'
import type { Contender } from '../contenders/contender.ts'
import { measure } from '../throughput/measurement.ts'
import { withCounters } from './costs.ts'
import type { SideOrder, SideResult } from './side.ts'

const order = JSON.parse(process.argv[2] ?? '') as SideOrder
const { ours } = (await import(pathToFileURL(order.adapter).href)) as { ours: Contender }
if (order.act === 'prepare') await ours.prepare(order.url)
else process.stdout.write(`${JSON.stringify(await measureWithCosts(order))}\n`)
process.exit(0)

async function measureWithCosts(wanted: SideOrder & { readonly act: 'measure' }): Promise<SideResult> {
  return withCounters(wanted, async (counters) => {
    const figures = await measure(ours, wanted, (measured) => counters.around(measured))
    return { figures, costs: counters.measured() }
  })
}

/**
 * A process that prepares or measures one side of a comparison. It reads a `SideCommand` from its command line and writes a
 * `SideResult` as JSON to standard output. The measuring code is that of this work tree for both sides; only the adapter,
 * which uses the queue's API, belongs to the side.
 */
import { pathToFileURL } from 'node:url'
import type { Contender } from '../contenders/contender.ts'
import { measure } from '../throughput/measurement.ts'
import { withCounters } from './costs.ts'
import type { SideCommand, SideResult } from './side.ts'

const sideCommand = JSON.parse(process.argv[2] ?? '') as SideCommand
const { ours } = (await import(pathToFileURL(sideCommand.adapter).href)) as { ours: Contender }
if (sideCommand.act === 'prepare') await ours.prepare(sideCommand.url)
else process.stdout.write(`${JSON.stringify(await measureWithCosts(sideCommand))}\n`)
process.exit(0)

async function measureWithCosts(command: SideCommand & { readonly act: 'measure' }): Promise<SideResult> {
  return withCounters(command, async (counters) => {
    const figures = await measure(ours, command, (work) => counters.measure(work))
    return { figures, costs: counters.costs(), peakRssBytes: process.resourceUsage().maxRSS * 1_024 }
  })
}

import { parseArgs } from 'node:util'
import { renderGrowth } from './growth/report.ts'
import { runGrowth } from './growth/run-growth.ts'

const help = `pnpm bench growth [--quick] [--json]

  growth    what the queue's statements cost while its tables fill: 2 M finished jobs, 500 k scheduled ones, 300 k of
            another queue, 300 k of an unknown kind, and 200 k processed while an old snapshot is held

  --quick   a twentieth of the rows
  --json    the figures as JSON on standard output, and nothing else

The server is TEST_DATABASE_URL, a container, or an embedded PostgreSQL.
`

const quick = { scale: 0.05, rounds: 9 }
const full = { scale: 1, rounds: 15 }

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { quick: { type: 'boolean' }, json: { type: 'boolean' }, help: { type: 'boolean' } },
  })
  const [part, ...others] = positionals
  if (values.help === true) {
    process.stdout.write(help)
    return 0
  }
  if (part !== 'growth' || others.length > 0) {
    process.stderr.write(help)
    return 2
  }
  const figures = await runGrowth({
    ...(values.quick === true ? quick : full),
    onStep: (step) => process.stderr.write(`${step} …\n`),
  })
  process.stdout.write(values.json === true ? `${JSON.stringify(figures, null, 2)}\n` : renderGrowth(figures))
  return 0
}

process.exitCode = await main()

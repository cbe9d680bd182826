const help = `pnpm demo [--real] [--exit]: starts PostgreSQL, the API and a worker, submits 200 jobs over HTTP, and
compares the final state of each with the expected one.

  --real   do the work instead of simulating it, 80 jobs against servers of the demo: for mail, for images and for
           webhooks. Each of them refuses a request now and then
  --exit   end after the summary, with exit code 0 only if every job reached its expected state
  --help   this text

Without --exit the stack runs until Ctrl-C. It listens on free loopback ports; API_BIND_ADDR, API_OPS_BIND_ADDR and
WORKER_METRICS_BIND_ADDR choose others. DATABASE_URL names a PostgreSQL to use in place of an embedded one.
`

export type DemoOptions =
  | { readonly stay: boolean; readonly work: 'real' | 'simulated' }
  | { readonly exitCode: 0 | 2; readonly text: string }

/** What the command line asks for, or the text that ends the program at once. */
export function parseArguments(args: readonly string[]): DemoOptions {
  // pnpm hands the separator on as it is.
  const given = args.filter((argument) => argument !== '--')
  if (given.includes('--help')) return { exitCode: 0, text: help }
  const unknown = given.find((argument) => !['--exit', '--real'].includes(argument))
  if (unknown !== undefined)
    return { exitCode: 2, text: `${JSON.stringify(unknown)} is not an argument of the demo\n\n${help}` }
  return { stay: !given.includes('--exit'), work: given.includes('--real') ? 'real' : 'simulated' }
}

const help = `pnpm demo [--real] [--exit]: starts PostgreSQL, the API and a worker, submits 200 jobs over HTTP, and
compares the final state of each with the expected one.

  --real   do the work instead of simulating it: 80 jobs with servers of the demo for mail, images and webhooks.
           Each of them rejects a request now and then
  --exit   exit after the summary, with exit code 0 only if every job reached its expected state
  --help   print this text

Without --exit the stack runs until Ctrl-C. It listens on free loopback ports; API_BIND_ADDR, API_OPS_BIND_ADDR and
WORKER_METRICS_BIND_ADDR choose others. DATABASE_URL names a PostgreSQL to use instead of the embedded one.
`

export type DemoOptions =
  | { readonly stay: boolean; readonly work: 'real' | 'simulated' }
  | { readonly exitCode: 0 | 2; readonly text: string }

/** Parses the command line. The result is the options, or a text to print before the program exits. */
export function parseArguments(args: readonly string[]): DemoOptions {
  // pnpm passes the separator on.
  const options = args.filter((argument) => argument !== '--')
  if (options.includes('--help')) return { exitCode: 0, text: help }
  const unknown = options.find((argument) => !['--exit', '--real'].includes(argument))
  if (unknown !== undefined)
    return { exitCode: 2, text: `unknown argument ${JSON.stringify(unknown)}\n\n${help}` }
  return { stay: !options.includes('--exit'), work: options.includes('--real') ? 'real' : 'simulated' }
}
